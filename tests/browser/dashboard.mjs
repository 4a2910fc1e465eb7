// SPDX-License-Identifier: GPL-2.0-or-later
// dashboard.mjs BASE SWEEP SHOTS: looks at every page with a browser. Prints a line a check:
// "ok", or "not ok", a tab, the name, a tab, what was seen instead.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

const [base, sweep, shots] = process.argv.slice(2);
const PATIENCE_MS = 20000;
const EVENT_MS = 8000; // less than the 15 s after which a view would load again anyway
const SERIOUS = ["serious", "critical"];
const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync"];
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

function say(good, name, detail = "") {
  console.log(`${good ? "ok" : "not ok"}\t${name}\t${String(detail).replace(/\s+/g, " ").slice(0, 600)}`);
}

async function check(name, look) {
  try {
    const wrong = await look();
    say(!wrong, name, wrong || "");
  } catch (error) {
    say(false, name, error.message);
  }
}

// A page that keeps what the console says and where it asked for something.
async function open(browser, options) {
  const page = await browser.newPage(options);
  page.said = [];
  page.strangers = [];
  page.on("console", (m) => ["error", "warning"].includes(m.type()) && page.said.push(m.text()));
  page.on("pageerror", (e) => page.said.push(e.message));
  page.on("request", (r) => !r.url().startsWith(base) && !r.url().startsWith("data:") && page.strangers.push(r.url()));
  page.setDefaultTimeout(PATIENCE_MS);
  return page;
}

async function faults(page) {
  await page.evaluate(axe);
  const found = await page.evaluate(() => globalThis.axe.run(document));
  return found.violations.filter((v) => SERIOUS.includes(v.impact))
    .map((v) => `${v.id}: ${v.nodes.map((n) => n.target).slice(0, 3).join(" ")}`).join("; ");
}

const wider = (page) => page.evaluate(() => {
  const { scrollWidth, clientWidth } = document.documentElement;
  return scrollWidth > clientWidth ? `${scrollWidth} over ${clientWidth}` : "";
});

const PAGES = [
  ["/", "Sweeps", `text=${sweep}`],
  [`/sweeps/${sweep}`, sweep, "table.grid"],
  [`/sweeps/${sweep}/points/tp4-c8`, "tp4-c8", "text=Concurrency"],
  ["/nodes", "Nodes", "text=mi325x-amds_00"],
];

async function eachPage(browser, scheme, width) {
  const page = await open(browser, { colorScheme: scheme, viewport: { width, height: 900 } });
  for (const [path, title, sign] of PAGES) {
    const name = `${path.replace(sweep, "ID")}, ${scheme}, ${width} px`;
    await check(`${name}: shows what it is for`, async () => {
      await page.goto(base + path);
      await page.waitForSelector(sign);
      return (await page.textContent("h1")).includes(title) ? "" : await page.textContent("h1");
    });
    await check(`${name}: axe finds no serious fault`, () => faults(page));
    await check(`${name}: no wider than the window`, () => wider(page));
    await page.screenshot({ path: `${shots}/${scheme}${path.replace(sweep, "ID").replaceAll("/", "_")}.png`, fullPage: true });
  }
  say(!page.said.length, `${scheme}: the console stays empty`, page.said.join("; "));
  say(!page.strangers.length, `${scheme}: nobody else is asked`, page.strangers.join(" "));
  await page.close();
}

const cells = (page) => page.$$eval("table.grid td.cell", (all) => all.map((td) => td.className + td.textContent).join("|"));

async function live(browser) {
  const page = await open(browser, { viewport: { width: 1280, height: 900 } });
  await page.goto(`${base}/sweeps/${sweep}`);
  await page.waitForSelector("table.grid");
  await check("the grid has a cell for each point of the API", async () => {
    const { points } = await (await fetch(`${base}/api/v1/sweeps/${sweep}/points`)).json();
    const named = await page.$$eval("table.grid td.cell a", (all) => all.map((a) => decodeURIComponent(a.pathname.split("/").pop())).sort());
    const wanted = points.map((p) => p.name).sort();
    return named.join() === wanted.join() ? "" : `${named} instead of ${wanted}`;
  });
  await check("the grid changes without a reload", async () => {
    await page.evaluate(() => { globalThis.notReloaded = true; });
    const before = await cells(page);
    await page.waitForFunction((was) =>
      [...document.querySelectorAll("table.grid td.cell")].map((td) => td.className + td.textContent).join("|") !== was, before, { timeout: EVENT_MS });
    return (await page.evaluate(() => globalThis.notReloaded)) ? "" : "it was loaded again";
  });
  await check("events arrive in the feed", async () => {
    await page.waitForSelector("ol.feed li");
    return "";
  });
  await check("the timeline draws a bar for what runs", async () => {
    await page.waitForSelector('[aria-label^="What ran"] svg rect');
    return "";
  });
  await check("the keyboard opens a point, the back key returns", async () => {
    await page.focus("table.grid td.cell a");
    const name = await page.$eval("table.grid td.cell a", (a) => decodeURIComponent(a.pathname.split("/").pop()));
    await page.keyboard.press("Enter");
    await page.waitForFunction((n) => document.querySelector("h1")?.textContent.startsWith(n), name);
    await page.goBack();
    await page.waitForSelector("table.grid");
    return page.url() === `${base}/sweeps/${sweep}` ? "" : page.url();
  });
  await check("a cancel without a credential is refused, and says so where it was pressed", async () => {
    page.once("dialog", (d) => d.accept());
    await page.click("text=Cancel the sweep");
    await page.waitForFunction(() => document.querySelector(".actions .said")?.textContent);
    const said = await page.textContent(".actions .said");
    return /done|cancelled/i.test(said) ? said : "";
  });
  await check("a point that is judged shows its evidence", async () => {
    const done = await page.waitForSelector("table.grid td.cell.ok a", { timeout: 60000 });
    await done.click();
    await page.waitForSelector('[aria-label^="Evidence"] tbody tr');
    return "";
  });
  await check("an unknown sweep says so", async () => {
    await page.goto(`${base}/sweeps/s0-none`);
    await page.waitForSelector("[role=alert]");
    return (await page.textContent("[role=alert]")).includes("no sweep") ? "" : await page.textContent("[role=alert]");
  });
  await page.close();
}

const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: FLAGS });
try {
  await live(browser);
  await eachPage(browser, "light", 1280);
  await eachPage(browser, "dark", 390);
} finally {
  await browser.close();
}
