import { DownloadButton } from '../../components/download-button.js';
import type { Story } from '../story.js';

export const story: Story = {
  title: 'Download button',
  states: {
    plain: <DownloadButton path="/nowhere.csv">Download CSV</DownloadButton>,
    small: (
      <DownloadButton path="/nowhere.csv" isSmall>
        Download CSV
      </DownloadButton>
    ),
  },
};
