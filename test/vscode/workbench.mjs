// A window of the workbench, and what a person does in it. Nothing here waits for a time: each step waits for what it needs to see.
import assert from "node:assert/strict";
import * as path from "node:path";

const images = path.join(import.meta.dirname, "../../editors/vscode/images");
const pictures = ["form", "child", "compare"];

export class Workbench {
  constructor(page, shots) {
    this.page = page;
    this.shots = shots;
  }

  async load(address, folder, restricted) {
    const url = new URL(address);
    url.searchParams.set("folder", folder);
    await this.page.goto(url.href);
    await this.ready(restricted);
  }

  /** Waits until the window is drawn and knows the extension, which it does later. */
  async ready(restricted = false) {
    await this.page.locator(".explorer-folders-view .monaco-list-row").first().waitFor({ timeout: 60_000 });
    if (!restricted) await this.icon.waitFor({ timeout: 60_000 });
  }

  /** A picture of the window, kept with the run; with WORKBENCH_PICTURES those of the extension's README are made anew. */
  async shot(name) {
    const folders = [this.shots, ...process.env.WORKBENCH_PICTURES && pictures.includes(name) ? [images] : []];
    for (const folder of folders) await this.page.screenshot({ path: path.join(folder, name + ".png"), animations: "disabled", caret: "hide" });
  }

  /** Another window that has been opened from this one. */
  of(page) {
    return new Workbench(page, this.shots);
  }

  // What is where.

  get icon() {
    return this.page.locator('.activitybar [aria-label^="Sidefork"]').first();
  }

  row(text) {
    return this.page.locator(".sidebar .monaco-list-row").filter({ hasText: text }).first();
  }

  notification(text) {
    return this.page.locator(".notifications-toasts .notification-list-item").filter({ hasText: text }).first();
  }

  tab(text) {
    return this.page.locator(".tabs-container .tab").filter({ hasText: text }).first();
  }

  /** The form of a fork: webviews are frames within frames. */
  get form() {
    return this.page.frameLocator("iframe.webview.ready").last().frameLocator("iframe#active-frame");
  }

  field(id) {
    return this.form.locator(`[id="${id}"]`);
  }

  /** Waits until a field has the focus. */
  async focused(id) {
    await this.form.locator(`[id="${id}"]:focus`).waitFor();
  }

  /** Waits until a field has the focus and all of its text is selected, to be typed over. */
  async selected(id) {
    await this.focused(id);
    const frame = await (await this.field(id).elementHandle()).ownerFrame();
    await frame.waitForFunction(id => {
      const { selectionStart, selectionEnd, value } = document.getElementById(id);
      return document.activeElement.id === id && selectionStart === 0 && selectionEnd === value.length;
    }, id);
  }

  /** Waits until the form is drawn and nothing of it is still being read. */
  async formIsWhole() {
    await this.field("name").waitFor();
    await this.form.locator("[aria-busy=true]").first().waitFor({ state: "detached" });
  }

  // Views.

  async sidefork(first) {
    await this.icon.click();
    await this.row(first).waitFor();
  }

  // Commands and menus.

  /** Chooses a command of the palette by its words. */
  async command(title) {
    await this.page.keyboard.press("F1");
    const input = this.page.locator(".quick-input-widget input[type=text]").first();
    await input.fill(">" + title);
    await this.page.locator(".quick-input-list .monaco-list-row").filter({ hasText: title }).first().click();
  }

  /** Chooses from a list that asks. */
  async choose(label) {
    await this.page.locator(".quick-input-widget input[type=text]").first().fill(label);
    await this.page.locator(".quick-input-list .monaco-list-row.focused").filter({ hasText: label }).waitFor();
    await this.page.keyboard.press("Enter");
  }

  /** What the palette offers for some words. */
  async offered(words) {
    await this.page.keyboard.press("F1");
    await this.page.locator(".quick-input-widget input[type=text]").first().fill(">" + words);
    const rows = this.page.locator(".quick-input-list .monaco-list-row");
    await rows.first().waitFor();
    const labels = await rows.locator(".label-name").allTextContents();
    await this.escape();
    return labels;
  }

  /** Opens the context menu of something and gives its entries; one that is off has " (off)" behind it. */
  async menu(of, position) {
    await of.click({ button: "right", ...position && { position } });
    const items = this.page.locator(".monaco-menu .action-item:not(.disabled .separator)");
    await items.first().waitFor();
    return (await items.evaluateAll(all => all.filter(one => one.querySelector(".action-label:not(.separator)")).map(one => {
      const off = one.classList.contains("disabled") || one.querySelector(".disabled, [aria-disabled=true]") || one.getAttribute("aria-disabled") === "true";
      return one.querySelector(".action-label").textContent.trim() + (off ? " (off)" : "");
    })));
  }

  /** The entries of the menu that are ours, the menu closed again. */
  async ours(of, position) {
    const all = await this.menu(of, position);
    await this.escape();
    return all.filter(label => label.startsWith("Fork Agent Session"));
  }

  /** Chooses an entry of the menu that is open: by Enter, since a menu takes no click just after it was opened. */
  async pick(label) {
    const item = this.page.locator(".monaco-menu .action-item").filter({ hasText: label }).first();
    await item.hover();
    await this.page.locator(".monaco-menu .action-item.focused").filter({ hasText: label }).waitFor();
    await this.page.keyboard.press("Enter");
    await item.waitFor({ state: "detached" });
  }

  async escape() {
    await this.page.keyboard.press("Escape");
    await this.page.locator(".monaco-menu").first().waitFor({ state: "detached" });
  }

  // Terminals.

  /** Opens a terminal in the panel. */
  async terminal() {
    await this.command("Terminal: Create New Terminal");
    await this.shows("$");
  }

  /** Waits until a terminal of this window, in the panel or among the editors, shows a text. In a pattern a space is \s: a terminal draws others. */
  async shows(text, where = "") {
    await this.page.locator(`${where} .xterm-rows`).filter({ hasText: text }).first().waitFor({ timeout: 60_000 });
  }

  /** Types a line into the terminal that has the focus. An agent takes an Enter that comes at once with a text for a part of it. */
  async type(text) {
    await this.page.locator(".xterm.focus").waitFor();
    await this.page.keyboard.type(text);
    await this.shows(text, ".xterm.focus");
    await this.page.keyboard.press("Enter");
  }

  /** Fails unless each text in the locator's element stands out from what is behind it by WCAG's 4.5 (what is off excepted). */
  async isReadable(what, root) {
    const poor = await root.evaluate(contrasts);
    assert.deepEqual(poor, [], `${what}: texts that are hard to read`);
  }
}

/** Runs in the page: texts whose colour is too near to their background's, with the ratio. */
function contrasts(root) {
  const parse = colour => {
    const [r, g, b, a = 1] = colour.match(/[\d.]+/g).map(Number);
    return /^color\(/.test(colour) ? [r * 255, g * 255, b * 255, a] : [r, g, b, a];
  };
  const over = ([r, g, b, a], [R, G, B]) => [r * a + R * (1 - a), g * a + G * (1 - a), b * a + B * (1 - a), 1];
  const light = ([r, g, b]) => [r, g, b].map(c => c / 255).map(c => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4).reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = element => {
    const layers = [];
    for (let e = element; e; e = e.parentElement) layers.push(parse(getComputedStyle(e).backgroundColor));
    return layers.reverse().reduce((below, layer) => over(layer, below), parse(getComputedStyle(document.documentElement).getPropertyValue("--vscode-editor-background") ? rgb(getComputedStyle(document.documentElement).getPropertyValue("--vscode-editor-background")) : "rgb(255,255,255)"));
  };
  function rgb(hex) {
    const c = document.createElement("canvas").getContext("2d");
    c.fillStyle = hex.trim();
    return c.fillStyle.startsWith("#") ? `rgb(${[1, 3, 5].map(i => parseInt(c.fillStyle.slice(i, i + 2), 16))})` : c.fillStyle;
  }
  const poor = [];
  for (const element of root.querySelectorAll("*")) {
    const text = element.value ?? [...element.childNodes].filter(n => n.nodeType === 3).map(n => n.textContent).join("").trim();
    const box = element.getBoundingClientRect();
    if (!text || element.tagName === "OPTION" || box.width === 0 || element.closest(":disabled, .off, [hidden], [inert]") || element.type === "checkbox") continue;
    const [a, b] = [light(over(parse(getComputedStyle(element).color), behind(element))), light(behind(element))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) poor.push(`${text.slice(0, 40)}: ${ratio.toFixed(1)}`);
  }
  return poor;
}
