// SPDX-License-Identifier: MIT
// An experiment as the words of a command line, and back. The address of the page holds these words behind the #.

// Splits a line into words as a shell does, as far as quotes and backslashes go.
function splitWords(line) {
  const words = [];
  const pattern = /(?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+/g;
  for (const [word] of line.matchAll(pattern)) {
    words.push(
      word.replace(/'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)/g, (_, plain, quoted, escaped) => {
        return plain !== undefined ? plain : quoted !== undefined ? quoted.replace(/\\(.)/g, "$1") : escaped;
      }),
    );
  }
  return words;
}

// Returns {pairs} of an option and its value, or {error}. The line may begin with `evenkeel run`. `axes` has all options;
// one that is a switch has no value on the line.
function readOptions(line, axes) {
  const words = splitWords(line);
  if (words[0] === "evenkeel") words.shift();
  if (words[0] === "run") words.shift();
  const pairs = [];
  while (words.length > 0) {
    const [, option, equals, given] = /^--([a-z-]+)(=?)(.*)$/s.exec(words.shift()) || [];
    if (!option) return { error: "Options begin with two dashes, as in --seed 7." };
    if (!axes[option]) return { error: `There is no option --${option} here: evenkeel list names them all.` };
    if (equals) pairs.push([option, given]);
    else if (axes[option].switch) pairs.push([option, "true"]);
    else if (words.length === 0 || words[0].startsWith("--")) return { error: `--${option} needs a value.` };
    else pairs.push([option, words.shift()]);
  }
  return { pairs };
}

function quoteWord(word) {
  return /^[A-Za-z0-9_.,:=+@%^/-]+$/.test(word) ? word : `'${word.replace(/'/g, "'\\''")}'`;
}

function writeOptions(pairs, axes) {
  return pairs
    .map(([option, value]) => (axes[option] && axes[option].switch ? `--${option}` : `--${option} ${quoteWord(value)}`))
    .join(" ");
}

function writeFragment(pairs, axes) {
  return `#${encodeURI(writeOptions(pairs, axes)).replace(/#/g, "%23")}`;
}

// Returns the words in the fragment of an address, or "" if it cannot be read.
function readFragment(fragment) {
  try {
    return decodeURIComponent(fragment.replace(/^#/, ""));
  } catch (error) {
    return "";
  }
}
