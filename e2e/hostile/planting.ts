import type { Page } from '@playwright/test';
import { expect, expectDrawn, open, type Project } from '../fixtures.js';
import { listHostileTexts } from './corpus.js';
import { FIELDS, type FieldName, type Party } from './fields.js';
import { expectHarmless } from './harmless.js';

const NAMES = Object.keys(FIELDS) as FieldName[];
const WIDTHS = [1280, 360] as const;

/** The mark at the beginning of each text of a field, by which it is found again. */
export const createMark = (field: FieldName) => `zq${NAMES.indexOf(field).toString(36).padStart(2, '0')}q`;

/** Returns all text of a page: content, values of fields, labels and link targets. */
const readVisibleText = () => {
  const names = ['title', 'alt', 'aria-label', 'placeholder', 'href'];
  const attributes = [...document.querySelectorAll(names.map((name) => `[${name}]`).join())].flatMap((element) =>
    names.map((name) => element.getAttribute(name) ?? ''),
  );
  const values = [...document.querySelectorAll<HTMLInputElement>('input, textarea')].map(({ value }) => value);
  return [document.body.textContent, document.title, ...values, ...attributes].join('\n').toLowerCase();
};

/** The fields that one kind of author plants, and those found on a page. */
export class PlantedFields {
  private readonly planted = new Set<FieldName>();
  private readonly seen = new Set<FieldName>();

  constructor(private readonly by: Party) {}

  /** Returns text for a field, from the corpus string number `turn` on. */
  words(field: FieldName, turn = 0): string {
    this.planted.add(field);
    const mark = createMark(field);
    return `${mark} ${listHostileTexts(FIELDS[field].limit - mark.length - 1, turn)}`.trim();
  }

  /** As `words`, for a field that accepts only visible characters. */
  seenWords(field: FieldName, turn = 0): string {
    return this.words(field, turn)
      .normalize('NFC')
      .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu, '?');
  }

  /** As `words`, for a field that accepts only ASCII. */
  asciiWords(field: FieldName, turn = 0): string {
    return this.words(field, turn).replace(/[^ -~]/g, '?');
  }

  /** As `words`, for the name of a file. */
  fileWords(field: FieldName, turn = 0): string {
    return this.asciiWords(field, turn).replace(/[/\\]/g, '?').trim();
  }

  /**
   * Opens a page that shows `fields`, and expects nothing on it to be more than text, in a wide and a narrow window.
   */
  async visit(page: Page, project: Project, path: string, ...fields: FieldName[]): Promise<void> {
    await open(page, project, path);
    await this.look(page, path, ...fields);
  }

  /** As `visit`, for the page that is open. */
  async look(page: Page, where: string, ...fields: FieldName[]): Promise<void> {
    for (const field of fields) {
      const isThere = async () => (await page.evaluate(readVisibleText)).includes(createMark(field));
      await expect.poll(isThere, { message: `${where} shows ${field}`, timeout: 20_000 }).toBe(true);
      // A page that draws only what is near may drop it again when the window changes.
      this.seen.add(field);
    }
    await expectDrawn(page);
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 });
      await page.evaluate(() => new Promise(requestAnimationFrame));
      await expectHarmless(page, `${where} at ${width} px`);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    const said = await page.evaluate(readVisibleText);
    for (const field of NAMES) if (said.includes(createMark(field))) this.seen.add(field);
  }

  /** Expects that every field of the author was planted and found on a page. */
  expectWhole(): void {
    const fields = NAMES.filter((name) => FIELDS[name].by === this.by);
    expect(
      fields.filter((name) => !this.planted.has(name)),
      'fields that nothing was planted in',
    ).toEqual([]);
    expect(
      fields.filter((name) => !this.seen.has(name)),
      'fields that no page showed',
    ).toEqual([]);
  }
}
