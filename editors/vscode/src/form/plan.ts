import type { Plan } from "../wire";
import { plain, sentence, type Translate } from "../words";

// A plan as a text to read.

/** What a fork would do: where, with what, and what stays. Each thing that comes from outside is on one line of its own. */
export function planText(plan: Plan, t: Translate): string {
  const lines: string[] = [];
  const part = (title: string, list: string[]) => {
    if (list.length > 0) lines.push("", title, ...list.map(line => "  " + line));
  };
  lines.push(t("What the fork would do. Nothing was written."));
  part(t("It would be refused:"), plan.refusals.map(sentence));
  part(t("Where"), [
    ...plan.workspace ? [`${t("from")}: ${plain(plan.workspace)}`] : [],
    ...plan.copies?.length
      ? plan.copies.map(copy => `${plain(copy.name)}: ${plain(copy.dir)}`)
      : [...plan.name ? [`${t("branch")}: ${plain(plan.name)}`] : [], ...plan.dir ? [`${t("folder")}: ${plain(plan.dir)}`] : []],
    ...plan.base ? [`${t("at commit")}: ${plain(plan.base)}`] : [],
  ]);
  if (plan.session) {
    part(t("Session"), [
      `${plain(plan.session.agent)}: ${plain(plan.session.title || plan.session.firstPrompt || plan.session.id)}`,
      ...plan.forecast ? [t("sends {0} tokens again", plan.forecast.tokens)] : [],
    ]);
  }
  part(t("Files that come"), plan.files.map(file => `${file.change.padEnd(11)} ${plain(file.path)}`));
  part(t("What stays"), plan.left.map(left => `${plain(left.path)} (${plain(left.reason)})`));
  if (plan.setup) part(`${t("Setup")}: ${plain(plan.setup.source)}`, plan.setup.commands.map(plain));
  part(t("Commands"), plan.commands.map(argv => argv.map(shown).join(" ")));
  part(t("To know"), plan.warnings.map(sentence));
  return lines.join("\n") + "\n";
}

/** A word of an argv, to read: with quotes where it would not be one word. */
function shown(word: string): string {
  const text = plain(word);
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text}'`;
}
