/** This daemon's own wallet. It receives payments for members whose file names no other wallet. */
export class DefaultWallet {
  private address: string | undefined;

  /** `open` returns the wallet's address and creates the wallet when there is none. */
  constructor(private readonly open: () => Promise<string>) {}

  /** Its address, once loaded. */
  find(): string | undefined {
    return this.address;
  }

  /** Loads its address. Throws when no wallet can be created. */
  async load(): Promise<void> {
    this.address ??= await this.open();
  }
}
