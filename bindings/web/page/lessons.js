// SPDX-License-Identifier: MIT
// The lessons, which the build takes from docs/lessons: a title, an experiment, and a text of paragraphs and lists with
// `code`, *emphasis*, **strong words** and [links](address).
function inline(text) {
  const pattern = /`([^`]+)`|\*\*([^*]+)\*\*|\*([^*]+)\*|\[([^\]]+)\]\(([^)\s]+)\)/g;
  const parts = [];
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    const [whole, code, strong, emphasis, link, href] = match;
    parts.push(text.slice(end, match.index));
    if (code) parts.push(commandLine(code));
    else if (strong) parts.push(element("strong", { textContent: strong }));
    else if (emphasis) parts.push(element("em", { textContent: emphasis }));
    else parts.push(element("a", { href, textContent: link }));
    end = match.index + whole.length;
  }
  return [...parts, text.slice(end)];
}

// Returns the elements of a text: blocks are separated by empty lines.
function blocks(text) {
  return text
    .split(/\n\s*\n/)
    .filter((block) => block.trim())
    .map((block) => {
      const lines = block.trim().split("\n");
      const heading = /^#+ (.*)/.exec(lines[0]);
      if (heading) return element("h3", {}, ...inline(heading[1]));
      const listed = /^(\*|-|\d+\.) /.exec(lines[0]);
      if (!listed) return element("p", {}, ...inline(lines.map((line) => line.trim()).join(" ")));
      const items = block.trim().split(/\n(?=(?:\*|-|\d+\.) )/);
      const made = items.map((item) =>
        element("li", {}, ...inline(item.replace(/^(\*|-|\d+\.) /, "").replace(/\s*\n\s*/g, " "))),
      );
      return element(/\d/.test(listed[1]) ? "ol" : "ul", {}, ...made);
    });
}

// `begin` receives the experiment of a lesson, as words of a command line.
function makeLessons(host, begin) {
  const list = element("select", { id: "choose-lesson" });
  page.lessons.forEach(({ title }, i) =>
    list.append(element("option", { value: i, textContent: `${i + 1}. ${title}` })),
  );
  const body = element("div", { className: "text" });
  const open = (i) => {
    list.value = i;
    body.replaceChildren(...blocks(page.lessons[i].text));
    before.disabled = i === 0;
    after.disabled = i === page.lessons.length - 1;
  };
  const turn = (i) => {
    open(i);
    begin(page.lessons[i].experiment);
  };
  const button = (id, textContent, act) => {
    const made = element("button", { type: "button", id, textContent });
    made.onclick = act;
    return made;
  };
  const before = button("lesson-before", "Previous", () => turn(Number(list.value) - 1));
  const after = button("lesson-after", "Next", () => turn(Number(list.value) + 1));
  const again = button("lesson-begin", "Set up its experiment", () => turn(Number(list.value)));
  list.onchange = () => turn(Number(list.value));
  host.append(
    element("h2", {}, element("label", { htmlFor: list.id, textContent: "Lessons" })),
    element("div", { className: "controls" }, list),
    body,
    element("div", { className: "controls" }, again, before, after),
  );
  open(0);
}
