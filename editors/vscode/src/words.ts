import type { Failure, Outcome, Reason, Warning } from "./wire";

// What comes from the sidecar in the places where an editor shows words. Titles, names and messages are hostile: wherever
// the editor would read more into them than text, plain takes that away.

/** One line of text that is nothing but text: no control or invisible characters, no link, no icon. */
export function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ").replaceAll("](", "] (").replaceAll("$(", "$ (").trim();
}

/** Several lines of the same. */
export function plainLines(text: string): string {
  return text.split("\n").map(line => line.replaceAll("\t", "    ").replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "")).join("\n");
}

/** At most length characters of text, the cut marked. */
export function cut(text: string, length: number): string {
  const all = [...text];
  return all.length <= length ? text : all.slice(0, length - 1).join("") + "…";
}

/** Details are cut to this many characters. */
export const detailLength = 200;

/** A reason as a sentence, with what to do about it and the detail where there is one. */
export function sentence(reason: Reason | Warning): string {
  const detail = "detail" in reason && reason.detail ? `(${cut(plain(reason.detail), detailLength)})` : "";
  return [plain(reason.message), plain(reason.remedy ?? ""), detail].filter(part => part !== "").join(" ");
}

/** A word of this extension in the user's language, with {0}, {1} … filled in: vscode.l10n.t. */
export type Translate = (text: string, ...args: (string | number)[]) => string;

/** What a failure says: all its reasons, and what it has left. */
export function failureText(failure: Failure, t: Translate): string {
  const reasons = failure.reasons?.length ? failure.reasons : [failure.reason];
  const said = reasons.map(sentence).join(" ");
  const detail = failure.detail ? ` (${cut(plain(failure.detail), detailLength)})` : "";
  switch (failure.effect) {
    case "kept": return `${said}${detail} ${t("Something of it stands.")}`;
    case "unknown": return `${said}${detail} ${t("It may be partially applied.")}`;
    default: return said + detail;
  }
}

/** What became of an operation whose answer never came, in words. */
export function outcomeText(name: string, outcome: Outcome, t: Translate): string {
  switch (outcome.state) {
    case "running": return t("{0} is still at work.", name);
    case "completed": return t("{0} was completed.", name);
    case "rolledBack": return t("{0} was taken back completely: nothing of it stands.", name) + because(outcome, t);
    case "failed": return (outcome.stands ? t("{0} failed. It has left {1}.", name, plain(outcome.stands.workspace)) : t("{0} failed.", name)) + because(outcome, t);
    default: return t("Nothing is known of {0}: it may be partially applied.", name);
  }
}

function because(outcome: Outcome, t: Translate): string {
  return outcome.error ? " " + failureText({ ...outcome.error, effect: "nothing" }, t) : "";
}

const units: [Intl.RelativeTimeFormatUnit, number][] = [["year", 31_536_000], ["month", 2_592_000], ["week", 604_800], ["day", 86_400], ["hour", 3_600], ["minute", 60]];

/** How long ago a time was at now (ms), short; "" where there is none. */
export type Age = (then: string | null, now: number) => string;

/** Ages in a language. Making a format is slow, so it is made once. */
export function ages(language: string): Age {
  const format = new Intl.RelativeTimeFormat(language, { style: "narrow", numeric: "auto" });
  return (then, now) => {
    const at = then ? Date.parse(then) : NaN;
    if (Number.isNaN(at)) return "";
    const seconds = Math.max(0, Math.round((now - at) / 1000));
    const [unit, length] = units.find(([, long]) => seconds >= long) ?? ["second", Infinity];
    return format.format(-Math.floor(seconds / length), unit);
  };
}
