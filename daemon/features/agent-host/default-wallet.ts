/** This daemon's own wallet, which is paid where a member's file names no other. */
export class DefaultWallet {
  private address: string | undefined;

  /** `open` gives its address, and makes the wallet when there is none yet. */
  constructor(private readonly open: () => Promise<string>) {}

  /** Its address, once it is known. */
  find(): string | undefined {
    return this.address;
  }

  /** Makes its address known. Throws when no wallet can be made. */
  async load(): Promise<void> {
    this.address ??= await this.open();
  }
}
