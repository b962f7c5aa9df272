import type { Draw, Drawn, FromPage, ToPage } from "./messages";

// The page of the form: it draws whatever fields it is given, by their kinds, and says what the user does. All words go
// into the page as text. What is drawn already is changed and not replaced, so that focus and caret stay.

declare function acquireVsCodeApi(): { postMessage(message: FromPage): void };

const host = acquireVsCodeApi();

function element<Tag extends keyof HTMLElementTagNameMap>(tag: Tag, properties: Partial<HTMLElementTagNameMap[Tag]> & { role?: string } = {}, ...children: Node[]): HTMLElementTagNameMap[Tag] {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

/** One field on the page. show draws it anew; it never calls change. */
interface Shown { block: HTMLElement; focus(): void; show(field: Drawn): void; entries?(query: string, list: Entry[]): void }

interface Entry { value: string; description: string }

const form = element("form", { noValidate: true });
const heading = element("h1");
const place = element("p", { className: "place" });
const main = element("div");
const advanced = element("details");
const summary = element("summary");
const more = element("div");
const failed = element("div", { className: "error failed", role: "alert" });
const status = element("div", { className: "status", role: "status" });
const fork = element("button", { type: "submit" });
const plan = element("button", { type: "button", className: "secondary" });
const cancel = element("button", { type: "button", className: "secondary" });
advanced.append(summary, more);
form.append(heading, place, main, advanced, failed, element("div", { className: "buttons" }, fork, plan, cancel), status);
document.body.append(form);

const shown = new Map<string, { kind: string; shown: Shown }>();
let words: Draw["words"];
let busy = false;
let focused = false;

/** The parts that every field has below its input: why it is off, what is wrong, whether more comes. */
function around(id: string, label: HTMLElement, input: HTMLElement & { disabled: boolean }, before: Node[], after: Node[] = []) {
  const note = element("div", { className: "note", id: `${id}-note` });
  const error = element("div", { className: "error", id: `${id}-error`, role: "alert" });
  const block = element("div", { className: "field" }, ...before, ...after, note, error);
  block.dataset.field = id;
  input.id = id;
  return {
    block,
    show(field: Drawn) {
      label.textContent = field.description;
      note.textContent = field.type.disabledReason ?? (field.type.pending ? words.pending : "");
      error.textContent = field.error ?? "";
      input.disabled = field.type.disabledReason !== undefined;
      input.setAttribute("aria-invalid", String(field.error !== undefined));
      input.setAttribute("aria-required", String(field.required));
      input.setAttribute("aria-busy", String(field.type.pending ?? false));
      input.setAttribute("aria-describedby", `${id}-note ${id}-error`);
      block.classList.toggle("off", input.disabled);
    },
  };
}

const changed = (id: string, value: unknown) => host.postMessage({ kind: "change", id, value });

function bool(id: string): Shown {
  const input = element("input", { type: "checkbox" });
  input.setAttribute("role", "switch");
  const text = element("span");
  const parts = around(id, text, input, [element("label", { className: "row", htmlFor: id }, input, text)]);
  input.addEventListener("change", () => changed(id, input.checked));
  return { block: parts.block, focus: () => input.focus(), show(field) { parts.show(field); input.checked = field.value === true; } };
}

/** A text: of one line, of several, a number, or a list with an entry in each line. */
function text(id: string, input: HTMLInputElement | HTMLTextAreaElement, read: (text: string) => unknown, write: (value: unknown) => string): Shown {
  const label = element("label", { htmlFor: id });
  const parts = around(id, label, input, [label, input]);
  input.spellcheck = false;
  let typed = false;
  input.addEventListener("input", () => { typed = true; changed(id, read(input.value)); });
  return {
    block: parts.block,
    focus() { input.focus(); input.select(); },
    show(field) {
      parts.show(field);
      const value = write(field.value), focused = document.activeElement === input;
      if (input.value === value || typed && focused && !input.disabled) return; // what is being typed is ahead of what comes back
      input.value = value;
      if (focused) input.select();
    },
  };
}

const asText = (value: unknown) => value === null || value === undefined ? "" : String(value);

function choice(id: string): Shown {
  const label = element("label", { htmlFor: id });
  const input = element("select");
  const source = element("div", { className: "note" });
  const script = element("pre", { tabIndex: 0 });
  const setup = element("div", { className: "setup" }, source, script);
  const parts = around(id, label, input, [label, input], [setup]);
  input.addEventListener("change", () => changed(id, input.value));
  return {
    block: parts.block, focus: () => input.focus(),
    show(field) {
      parts.show(field);
      const entries = field.type.entries ?? [];
      const same = entries.length === input.options.length && entries.every((entry, i) => input.options[i]?.value === entry.value && input.options[i]?.text === entry.description);
      if (!same) input.replaceChildren(...entries.map(entry => element("option", { value: entry.value, textContent: entry.description })));
      input.value = asText(field.value);
      // A setup is confirmed with all that it runs in sight.
      const run = field.type.setup;
      setup.hidden = !run;
      source.textContent = run?.source ?? "";
      script.textContent = run?.commands.join("\n") ?? "";
      script.setAttribute("aria-label", run?.source ?? "");
    },
  };
}

/** A choice of many: typing asks for those that fit. */
function search(id: string): Shown {
  const label = element("label", { htmlFor: id });
  const input = element("input", { type: "text", autocomplete: "off", spellcheck: false });
  const list = element("ul", { id: `${id}-list`, hidden: true });
  list.setAttribute("role", "listbox");
  for (const [name, value] of [["role", "combobox"], ["aria-autocomplete", "list"], ["aria-controls", list.id], ["aria-expanded", "false"]] as const) input.setAttribute(name, value);
  const parts = around(id, label, input, [label, input, list]);
  let chosen = "", description = "", at = -1, timer = 0;
  let options: Entry[] = [];

  const close = () => {
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
    clearTimeout(timer);
  };
  const mark = (to: number) => {
    at = to;
    [...list.children].forEach((item, i) => item.setAttribute("aria-selected", String(i === at)));
    const item = list.children[at];
    if (item) {
      input.setAttribute("aria-activedescendant", item.id);
      item.scrollIntoView({ block: "nearest" });
    }
  };
  const take = (entry: Entry) => {
    [chosen, description] = [entry.value, entry.description];
    input.value = description;
    close();
    changed(id, chosen);
  };
  const ask = (query: string, wait: number) => {
    clearTimeout(timer);
    timer = window.setTimeout(() => host.postMessage({ kind: "query", id, query }), wait);
  };
  input.addEventListener("input", () => ask(input.value, 200));
  input.addEventListener("focus", () => input.select());
  input.addEventListener("click", () => list.hidden && ask("", 0));
  input.addEventListener("blur", () => { close(); input.value = description; });
  input.addEventListener("keydown", event => {
    const open = !list.hidden;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (!open) ask("", 0);
      else if (options.length > 0) mark((at + (event.key === "ArrowDown" ? 1 : -1) + options.length) % options.length);
    } else if (event.key === "Enter" && open) {
      event.preventDefault();
      const entry = options[at] ?? options[0];
      if (entry) take(entry);
    } else if (event.key === "Escape" && open) {
      event.preventDefault();
      event.stopPropagation();
      close();
      input.value = description;
    }
  });
  return {
    block: parts.block, focus: () => input.focus(),
    show(field) {
      parts.show(field);
      const value = asText(field.value);
      const known = field.type.entries?.find(entry => entry.value === value);
      if (known) description = known.description;
      else if (value !== chosen) description = value;
      chosen = value;
      if (document.activeElement !== input) input.value = description;
    },
    entries(query, found) {
      if (document.activeElement !== input || query !== "" && query !== input.value) return;
      options = found;
      list.replaceChildren(...found.map((entry, i) => {
        const item = element("li", { id: `${id}-option-${i}`, textContent: entry.description });
        item.setAttribute("role", "option");
        item.addEventListener("mousedown", event => { event.preventDefault(); take(entry); });
        return item;
      }));
      list.hidden = found.length === 0;
      input.setAttribute("aria-expanded", String(!list.hidden));
      mark(found.length > 0 ? 0 : -1);
    },
  };
}

const lines = (text: string) => text.split(/\r?\n/).filter(line => line.trim() !== "");

/** The field's kind as it is drawn; "" for one that is not known here, which keeps its default. */
function kindOf(field: Drawn): string {
  if (field.type.kind === "string" && field.type.multiline) return "lines";
  return ["bool", "string", "number", "enum", "lazyEnum", "list"].includes(field.type.kind) ? field.type.kind : "";
}

function made(kind: string, id: string): Shown {
  switch (kind) {
    case "bool": return bool(id);
    case "enum": return choice(id);
    case "lazyEnum": return search(id);
    case "number": return text(id, element("input", { type: "number", min: "1", step: "1" }), typed => typed === "" ? null : Number(typed), asText);
    case "list": return text(id, element("textarea", { rows: 2 }), lines, value => Array.isArray(value) ? value.join("\n") : asText(value));
    case "lines": return text(id, element("textarea", { rows: 3 }), typed => typed, asText);
    default: return text(id, element("input", { type: "text" }), typed => typed, asText);
  }
}

function draw(to: Draw): void {
  words = to.words;
  heading.textContent = to.title;
  place.textContent = to.place;
  summary.textContent = words.advanced;
  [fork.textContent, plan.textContent, cancel.textContent] = [words.fork, words.plan, words.cancel];
  const before: Record<"main" | "more", HTMLElement | null> = { main: null, more: null };
  for (const field of to.fields) {
    const kind = kindOf(field);
    if (kind === "") continue;
    let one = shown.get(field.id);
    if (one?.kind !== kind) {
      one?.shown.block.remove();
      shown.set(field.id, one = { kind, shown: made(kind, field.id) });
    }
    const where = field.type.advanced ? "more" : "main";
    const parent = where === "main" ? main : more;
    const next = before[where] ? before[where].nextElementSibling : parent.firstElementChild;
    if (one.shown.block !== next) parent.insertBefore(one.shown.block, next);
    before[where] = one.shown.block;
    one.shown.show(field);
    if (field.error && field.type.advanced) advanced.open = true;
  }
  advanced.hidden = more.childElementCount === 0;
  const wasBusy = busy;
  busy = to.busy !== undefined;
  for (const part of [main, advanced, fork, plan]) part.inert = busy;
  fork.disabled = plan.disabled = busy;
  status.textContent = to.busy ?? "";
  failed.textContent = to.failed ?? "";
  if (!focused && shown.has("name") || wasBusy && !busy) {
    focused = true;
    focus(to.fields);
  }
}

/** The first field that is wrong; else the name, or the first text. */
function focus(fields: Drawn[]): void {
  const wrong = fields.find(field => field.error) ?? fields.find(field => field.id === "name" && !field.type.disabledReason) ?? fields.find(field => !field.type.disabledReason);
  if (wrong) shown.get(wrong.id)?.shown.focus();
}

form.addEventListener("submit", event => {
  event.preventDefault();
  if (!busy) host.postMessage({ kind: "submit" });
});
plan.addEventListener("click", () => host.postMessage({ kind: "plan" }));
cancel.addEventListener("click", () => host.postMessage({ kind: "cancel" }));
document.addEventListener("keydown", event => {
  if (event.key === "Escape" && !event.defaultPrevented && !busy) host.postMessage({ kind: "cancel" });
  const switched = event.target instanceof HTMLInputElement && event.target.type === "checkbox";
  if (event.key === "Enter" && !event.defaultPrevented && (event.ctrlKey || event.metaKey || switched)) {
    event.preventDefault();
    form.requestSubmit();
  }
});
window.addEventListener("message", event => {
  const said = event.data as ToPage;
  if ("draw" in said) draw(said.draw);
  else shown.get(said.id)?.shown.entries?.(said.query, said.entries);
});
host.postMessage({ kind: "ready" });
