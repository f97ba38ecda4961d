// SPDX-License-Identifier: MIT
// Tables that sort and filter.
const ROWS_SHOWN = 500;

function compare(a, b) {
  const missing = (value) => value === null || value === undefined || value === "";
  if (missing(a) || missing(b)) return missing(a) - missing(b);
  return typeof a === "number" && typeof b === "number"
    ? a - b
    : String(a).localeCompare(String(b), "en", { numeric: true });
}

// Adds a table that sorts and filters. `columns` are the names of the columns. `main` are the columns that are shown at
// first; without it all are.
function table(host, name, columns, rows, main) {
  let sorted = -1;
  let down = false;
  let wanted = "";
  let all = !main;
  if (experiments.length === 1 && columns[0] === "experiment") {
    // the column would be the same in every row
    columns = columns.slice(1);
    rows = rows.map((row) => row.slice(1));
  }
  const numeric = columns.map(
    (_, i) => typeof rows.map((row) => row[i]).find((cell) => cell !== null && cell !== undefined) === "number",
  );
  const head = element("tr", {});
  const body = element("tbody", {});
  const count = element("span", { className: "note", role: "status" });
  const visible = () => columns.map((_, i) => i).filter((i) => all || main.includes(columns[i]));
  const draw = () => {
    const matching = rows.filter(
      (row) =>
        !wanted ||
        row.some((cell) =>
          String(cell ?? "")
            .toLowerCase()
            .includes(wanted),
        ),
    );
    if (sorted >= 0) matching.sort((a, b) => (down ? -1 : 1) * compare(a[sorted], b[sorted]));
    body.replaceChildren(
      ...matching.slice(0, ROWS_SHOWN).map((row) =>
        element(
          "tr",
          {},
          ...visible().map((i) =>
            element("td", {
              className: numeric[i] ? "number" : String(row[i]).length > 30 ? "long" : "text",
              textContent: number(row[i]),
            }),
          ),
        ),
      ),
    );
    count.textContent =
      matching.length > ROWS_SHOWN
        ? `the first ${ROWS_SHOWN} of ${plural(matching.length, "row")}; the CSV has all`
        : `${plural(matching.length, "row")}`;
    head.replaceChildren(
      ...visible().map((i) => {
        const button = element("button", { type: "button", textContent: words(columns[i]) });
        button.onclick = () => {
          down = sorted === i && !down;
          sorted = i;
          draw();
          head.children[visible().indexOf(i)].firstChild.focus();
        };
        const cell = element(
          "th",
          {
            scope: "col",
            className: numeric[i] ? "number" : "",
            "aria-sort": sorted !== i ? "none" : down ? "descending" : "ascending",
          },
          button,
        );
        cell.dataset.name = words(columns[i]);
        return cell;
      }),
    );
  };
  const filter = element("input", { type: "search", placeholder: "filter", "aria-label": `Filter ${name}` });
  filter.oninput = () => {
    wanted = filter.value.toLowerCase();
    draw();
  };
  host.append(
    element(
      "div",
      { className: "controls" },
      filter,
      main
        ? check("all columns", false, (on) => {
            all = on;
            draw();
          })
        : null,
      download(name, () => [columns, ...rows]),
      count,
    ),
    element(
      "div",
      { className: "scroll", tabIndex: 0, role: "region", "aria-label": name },
      element("table", {}, element("thead", {}, head), body),
    ),
  );
  draw();
}
