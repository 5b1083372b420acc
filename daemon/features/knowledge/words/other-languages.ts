import { STOPWORDS } from './english.js';

/**
 * Folded words of other languages that are no English ones and have no meaning of their own in a question: those of
 * asking, being there, and the commonest articles and prepositions.
 */
const FUNCTION_WORDS: ReadonlySet<string> = new Set(
  `
aber als auch auf aus bei bitte das dass dem den der des diese dieser dieses durch ein eine einem einen einer fur gibt
hier ich ihr ist kann
kein keine mit nach nicht oder ohne sich sie sind uber und unter vom von wann warum welche welchem welchen welcher
welches wenn werden wer wie
wieso wird wo wofur woher wohin womit worden wozu wurde zu zum zur zwischen
au aux avec ce cela cet cette ces comment dans du elle est et etre il ils je la le les leur mais nous ou par pas peut
pourquoi qu que quel
quelle quelles quels qui quoi sont sous sur une vers vous
adonde al como con cual cuales cuando cuanto de del desde donde el ella en entre es esta estan este esto hace hay las
los muy para pero
por porque puede quien se sin sobre su sus una uno unos y
che chi ci cosa cui da dal dalla dei della delle di dove e gli nel nella non perche piu puo quale quali quando quanto
sono
sul sulla tra un vengono viene
ao aos com dos em essa esse foi isso isto na nas nao nos onde o os pela pelo pra qual
quais quem sao ser seu sua sem um uma voce
в во где для до за и из или как какая какие какои когда которыи кто куда ли мне можно на не нет о об от по почему при
с со что чтобы это
αν απο για ειναι η και με οι πως που πρεπει σε στη στην στο τα τη την της τι το του των
如何 怎么 怎样 怎么样 什么 哪里 哪儿 哪个 哪些 为什么 是否 可以 请问 我们 这个 那个 一个 没有 怎麼 怎樣 什麼 哪裡 哪個 為什麼 請問 這個
どこ どう どの どれ どんな なに なぜ いつ です ます でし まし する して され いる ある こと もの ため から まで より ください なん
어디 어디에 어디서 어떻게 무엇 무엇을 뭐 왜 언제 누가 어떤 어느 있나 있나요 있습니까 있는 하나요 합니까 되나요 입니까 인가요 무엇인가 하는
ที่ไหน อย่างไร อะไร ทำไม เมื่อไร คือ ของ และ หรือ ใน เป็น อยู่ ได้ ให้
`
    .trim()
    .split(/\s+/),
);

/** Whether a folded word asks or joins others in a question of another language. */
export const isFunctionWord = (word: string): boolean => FUNCTION_WORDS.has(word);

/** Whether most of the meaningless words of a question are of another language than English. */
export function isOtherLanguage(words: Iterable<string>): boolean {
  let others = 0;
  let english = 0;
  for (const word of words) {
    if (STOPWORDS.has(word)) english += 1;
    else if (FUNCTION_WORDS.has(word) || isOtherScript(word)) others += 1;
  }
  return others > english;
}

const isOtherScript = (word: string) => /^\p{L}+$/u.test(word) && !/\p{sc=Latin}/u.test(word);
