# SPDX-License-Identifier: MIT
# A page of docs/ as a manual page in mdoc(7): awk -v name=evenkeel -v section=7 -v date='June 9, 2026' -f mdoc.awk FILE.md
# It reads a title that begins with the name and a colon or comma, headings, paragraphs, lists of one level and fenced
# blocks. Each sentence begins a new line, and no line is longer than 80 bytes, as mandoc -T lint requires.
function macro_end() {
    if (list) {
        print ".El"
        list = 0
    }
}

# Text between backquotes or pairs of asterisks is bold.
function marked(word,   parts, count, i, text) {
    gsub(/\*\*/, "`", word)
    gsub(/\\/, "\\e", word)
    count = split(word, parts, "`")
    text = ""
    for (i = 1; i <= count; i++) {
        if (i > 1) {
            text = text (bold ? "\\fR" : "\\fB")
            bold = !bold
        }
        if (bold) {
            gsub(/-/, "\\-", parts[i])
        }
        text = text parts[i]
    }
    return text
}

function write_text(text,   words, count, i, line, word) {
    count = split(text, words, " ")
    line = ""
    for (i = 1; i <= count; i++) {
        word = marked(words[i])
        if (line != "" && length(line " " word) > 72) {
            print line
            line = ""
        }
        if (line == "" && word ~ /^[.']/) {
            word = "\\&" word
        }
        line = line == "" ? word : line " " word
        if (words[i] ~ /[.?!][)`*]*$/ && words[i] !~ /\.\.\.$/) {
            print line
            line = ""
        }
    }
    if (line != "") {
        print line
    }
}

function flush() {
    if (paragraph != "") {
        if (item) {
            print ".It"
        } else if (!fresh) {
            print ".Pp"
        }
        write_text(paragraph)
        fresh = 0
    }
    paragraph = ""
    item = 0
}

BEGIN {
    printf ".Dd %s\n.Dt EVENKEEL %d\n.Os\n.Sh NAME\n.Nm %s\n", date, section, name
}
/^```/ {
    flush()
    if (!fenced) {
        macro_end()
    }
    print fenced ? ".Ed" : ".Bd -literal -offset indent"
    fenced = !fenced
    fresh = 0
    next
}
fenced {
    gsub(/\\/, "\\e")
    print ($0 ~ /^[.']/ ? "\\&" : "") $0
    next
}
/^# / {
    sub(/^# [^:,]*[:,] /, "")
    print ".Nd " $0 "\n.Sh DESCRIPTION"
    fresh = 1
    next
}
/^## / {
    flush()
    macro_end()
    print ".Sh " toupper(substr($0, 4))
    fresh = 1
    next
}
/^\* / {
    flush()
    if (!list) {
        print ".Bl -bullet"
        list = 1
    }
    item = 1
    paragraph = substr($0, 3)
    next
}
/^$/ {
    flush()
    blank = 1
    next
}
{
    if (blank && list && $0 !~ /^ /) {
        macro_end()
    }
    blank = 0
    paragraph = paragraph (paragraph == "" ? "" : " ") $0
}
END {
    flush()
    macro_end()
    print ".Sh SEE ALSO"
    split("1 3 5 7", sections, " ")
    for (i = 1; i <= 4; i++) {
        if (sections[i] != section) {
            print ".Xr evenkeel " sections[i] (++others < 3 ? " ," : "")
        }
    }
}
