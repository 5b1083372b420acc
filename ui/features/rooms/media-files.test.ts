import { describe, expect, it } from 'vitest';
import { filesIn } from './media-files.js';

const B64 = btoa('bytes');

describe('the files of a message', () => {
  it('are pictures only where their kind holds no code', () => {
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

  it('are elsewhere where only their address came, whatever address that is', () => {
    for (const url of ['https://a.example/x.png', 'javascript:alert(1)', 'data:text/html,<script>', 'blob:x']) {
      expect(filesIn([{ mime: 'image/png', url }])).toEqual([{ kind: 'elsewhere', mime: 'image/png', url }]);
    }
  });

  it('are what the data says that they are', () => {
    const [file] = filesIn([{ mime: 'image/png', url: `data:image/svg+xml;base64,${B64}` }]);
    expect(file).toMatchObject({ kind: 'here', mime: 'image/svg+xml', isPicture: false });
  });

  it('cannot be read where they are no base64', () => {
    expect(filesIn([{ mime: 'image/png', b64: '%%%' }])).toEqual([{ kind: 'unreadable', mime: 'image/png' }]);
  });
});
