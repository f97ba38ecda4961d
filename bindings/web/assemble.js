// SPDX-License-Identifier: MIT
// Makes the page of one file (docs/web.md). Arguments: the template, the version, the lessons. Prints the page. A line
// `@include FILE` of the template stands for the file, `@data` for the lessons as JSON.
const { readFileSync } = require("node:fs");

// Reads a lesson: lines `title:` and `experiment:` between two lines of dashes, then the text.
function readLesson(file) {
  const [, head, text] = /^---\n([^]*?)\n---\n([^]*)$/.exec(readFileSync(file, "utf8")) || [];
  const field = (name) => ((head || "").match(new RegExp(`^${name}:\\s*(.+)$`, "m")) || [])[1];
  const [title, experiment] = [field("title"), field("experiment")];
  if (!title || !experiment || !text.trim()) {
    throw new Error(`${file}: a lesson begins with --- and the lines title: and experiment:, then --- and the text`);
  }
  return { title: title.trim(), experiment: experiment.trim(), text: text.trim() };
}

// Returns a file's text as the page can contain it: no script may end early.
function include(file) {
  const text = readFileSync(file, "utf8");
  if (/<\/script|<\/style|<!--/i.test(text)) throw new Error(`${file} contains what would end a part of the page`);
  return text.trimEnd();
}

function assemble(template, version, lessons) {
  const data = JSON.stringify({ version, lessons: lessons.map(readLesson) }).replace(/</g, "\\u003c");
  return readFileSync(template, "utf8")
    .replace("@data", () => data)
    .replace(/^@include (.+)$/gm, (_, file) => include(file));
}

if (require.main === module) {
  const [template, version, ...lessons] = process.argv.slice(2);
  process.stdout.write(assemble(template, version, lessons));
}
module.exports = { readLesson };
