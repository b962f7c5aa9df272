import type { Answer, Field, Resolve } from "../wire";

// The dialog while it is open: the fields that the sidecar has given, what the user chose of them, and when to ask again
// (docs/contract.md, "The dialog"). It knows no field by its name but the session, for which the contract has a rule.

export class Dialog {
  fields: Field[] = [];
  private readonly user = new Map<string, unknown>();
  private asking: Promise<void> | undefined;
  private again = false;
  private waiting: (() => void)[] = [];

  /**
   * resolve is command/resolve. changed is called whenever there is something else to draw, ended when the sidecar refuses
   * to go on.
   */
  constructor(
    private readonly resolve: (params: Resolve) => Promise<Resolve>,
    readonly argument: object,
    private readonly changed: () => void = () => {},
    private readonly ended: (why: unknown) => void = () => {},
  ) {}

  /** The first fields. Throws what the sidecar refuses. */
  async open(): Promise<void> {
    this.fields = (await this.ask({})).formFields ?? [];
  }

  /** What a field is drawn with: what the user chose, as long as it can be chosen, else its default. */
  value(field: Field): unknown {
    const { kind, entries, disabledReason } = field.type;
    const chosen = this.user.get(field.id);
    const offered = kind !== "enum" || (entries ?? []).some(entry => entry.value === chosen);
    return this.user.has(field.id) && offered && !disabledReason ? chosen : field.default ?? null;
  }

  answers(): Answer[] {
    return this.fields.map(field => ({ id: field.id, value: this.value(field) }));
  }

  /** The user has chosen. */
  change(id: string, value: unknown): void {
    this.user.set(id, value);
    this.redraw();
  }

  /** The sidecar knows more. */
  news(): void {
    this.redraw();
  }

  /** Asks for the fields as they are now: one question at a time, and another one for all that came meanwhile. */
  private redraw(): void {
    this.again = true;
    this.asking ??= (async () => {
      try {
        while (this.again) {
          this.again = false;
          const { formFields } = await this.ask({ formAnswers: this.answers(), draft: true });
          if (formFields?.length) this.fields = formFields;
        }
      } catch (why) {
        this.ended(why);
      } finally {
        this.asking = undefined;
      }
      this.changed();
      this.waiting.splice(0).forEach(go => go());
    })();
  }

  /** The answers, once the sidecar has found them complete; undefined: there are errors to draw. Waits for what must be known. */
  async submit(): Promise<Answer[] | undefined> {
    while (this.asking || this.fields.some(field => field.id === "session" && field.type.pending && !this.user.has(field.id))) {
      await new Promise<void>(go => this.waiting.push(go));
    }
    const formAnswers = this.answers();
    const { formFields } = await this.ask({ formAnswers });
    if (!formFields?.length) return formAnswers;
    this.fields = formFields;
    this.changed();
    return undefined;
  }

  private ask(more: Partial<Resolve>): Promise<Resolve> {
    return this.resolve({ command: "sidefork.fork", arguments: [this.argument], ...more });
  }
}
