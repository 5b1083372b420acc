import { describe, expect, it } from 'vitest';
import { filesIn } from './media-files.js';

const B64 = btoa('bytes');

describe('filesIn', () => {
  it('treats only types without code as pictures', () => {
    const kinds = [
      'image/png',
      'image/jpeg',
      'image/gif',
      'image/webp',
      'image/avif',
      'image/svg+xml',
      'text/html',
      'application/pdf',
    ];
    const files = filesIn(kinds.map((mime) => ({ mime, b64: B64 })));
    expect(files.map((file) => file.kind === 'here' && file.isPicture)).toEqual([
      true,
      true,
      true,
      true,
      true,
      false,
      false,
      false,
    ]);
  });

  it('returns a link for an address, whatever its scheme', () => {
    for (const url of ['https://a.example/x.png', 'javascript:alert(1)', 'data:text/html,<script>', 'blob:x']) {
      expect(filesIn([{ mime: 'image/png', url }])).toEqual([{ kind: 'elsewhere', mime: 'image/png', url }]);
    }
  });

  it('takes the type from a data URL and not from the message', () => {
    const [file] = filesIn([{ mime: 'image/png', url: `data:image/svg+xml;base64,${B64}` }]);
    expect(file).toMatchObject({ kind: 'here', mime: 'image/svg+xml', isPicture: false });
  });

  it('reports content that is not valid base64', () => {
    expect(filesIn([{ mime: 'image/png', b64: '%%%' }])).toEqual([{ kind: 'unreadable', mime: 'image/png' }]);
  });
});
