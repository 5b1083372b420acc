import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder, temporaryRepository } from '../../../testing/temporary-folder.js';
import { LocalKnowledge } from '../local-knowledge.js';
import { isOtherLanguage } from './other-languages.js';

async function ask(files: Record<string, string>, text: string) {
  const knowledge = new LocalKnowledge(temporaryRepository(files), temporaryFolder(), { PATH: process.env['PATH'] });
  onTestFinished(() => knowledge.close());
  return knowledge.answer({ text });
}

const PADDING = Object.fromEntries(
  ['boats', 'birds', 'bread', 'stones'].map((name) => [`docs/${name}.md`, `# ${name}\n\nAll about ${name}.\n`]),
);

describe('a question in the language of the documents', () => {
  it.each([
    ['ru', '# Настройки\n\nФайл настроек лежит в домашней папке.\n', 'Где лежит файл настроек?', 'файл'],
    [
      'el',
      '# Ρυθμίσεις\n\nΤο αρχείο ρυθμίσεων βρίσκεται στον κατάλογο.\n',
      'Πού βρίσκεται το αρχείο ρυθμίσεων;',
      'αρχειο',
    ],
    [
      'ko',
      '# 설정\n\n데이터베이스 설정 파일은 홈 폴더에 있습니다.\n',
      '데이터베이스 설정은 어디에 있나요?',
      '데이터베이스',
    ],
    [
      'ja',
      '# 設定\n\nデータベースの設定ファイルはホームにあります。\n',
      'データベースの設定はどこですか？',
      'データベース',
    ],
    ['zh', '# 配置\n\n数据库配置文件放在主目录。\n', '如何配置数据库？', '配置'],
    ['th', '# การตั้งค่า\n\nไฟล์การตั้งค่าอยู่ในโฟลเดอร์หลัก\n', 'ไฟล์การตั้งค่าอยู่ที่ไหน', 'ตงคา'],
    [
      'decomposed',
      `# ${'Настройки'.normalize('NFD')}\n\n${'Файл настроек.'.normalize('NFD')}\n`,
      'Где файл настроек?',
      'файл',
    ],
  ])('is answered from them: %s', async (_language, text, question) => {
    const { citations } = await ask({ 'docs/guide.md': text, ...PADDING }, question);
    expect(citations.map(({ path }) => path)).toEqual(['docs/guide.md']);
  });

  it.each([
    ['数据库配置文件放在主目录。', '调用函数的数据库在哪里？', '数据库'],
    ['データベースの設定ファイル。', 'データベースと猫の関係は？', 'データベース'],
    ['Файл настроек.', 'Где файл кошки собаки?', 'файл'],
  ])('names no word of %j as missing when asked %j', async (text, question, word) => {
    const answer = await ask({ 'docs/guide.md': `# x\n\n${text}\n`, ...PADDING }, question);
    expect(answer.text.split('Nowhere in it:')[1] ?? '').not.toContain(word);
  });

  it('refuses what no document says', async () => {
    const answer = await ask({ 'docs/guide.md': '# 配置\n\n数据库配置文件放在主目录。\n' }, '如何烤面包？');
    expect(answer.confidence).toBe('none');
    expect(answer.text).toContain('Nowhere in it: `烤面包`');
  });
});

describe('a question in another language than that of the code', () => {
  const CODE = {
    'src/parse.ts': 'export function parseConfig(text: string) {\n  return JSON.parse(text);\n}\n',
    'src/main.ts': "import { parseConfig } from './parse.js';\n\nparseConfig('{}');\n",
    ...PADDING,
  };

  it.each([
    'Wo wird `parseConfig` definiert?',
    '`parseConfig` 在哪里定义？',
    '调用parseConfig函数的文件',
    'Où est définie la fonction parseConfig ?',
    '¿Dónde está definido parseConfig?',
    'Где определена функция parseConfig?',
  ])('is answered where it names the code: %s', async (question) => {
    const { citations, confidence } = await ask(CODE, question);
    expect(confidence).not.toBe('none');
    expect(citations[0]?.path).toMatch(/^src\//);
  });

  it('is refused where it names nothing that is here', async () => {
    expect((await ask(CODE, 'Wo wird `burnWick` definiert?')).confidence).toBe('none');
    expect((await ask(CODE, 'Wo liegen die Einstellungen der Datenbank?')).confidence).toBe('none');
  });
});

it.each([
  [['wo', 'wird', 'parseconfig', 'aufgerufen'], true],
  [['where', 'is', 'parseconfig', 'called'], false],
  [['parseconfig', 'grpc'], false],
  [['配置'], true],
  [['how', 'is', '配置', 'read'], false],
])('whether %j are another language: %s', (words, isOther) => {
  expect(isOtherLanguage(words)).toBe(isOther);
});
