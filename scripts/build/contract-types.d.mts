/** A type of the contract: the name it has in the library's types, where it is from and what it is called there. */
export interface DeclaredType {
  name: string;
  file: string;
  source: string;
  isExported: boolean;
  text: string;
}
export function contractTypes(root: string): Promise<DeclaredType[]>;
