package netfile

import (
	"strings"
	"unicode/utf8"

	"fabricast/internal/config"
	"fabricast/internal/fields"
	"fabricast/internal/pattern"
)

// dictOf splits a line of NetworkX's write_edgelist, such as "a b {'bandwidth': '8GB/s'}", into its words and
// the attributes in braces. found is false if the line has no braces after its second word.
func (c *collector) dictOf(line string, number int) (words []word, list []attribute, found bool) {
	brace := strings.Index(line, " {")
	if brace < 0 || strings.Contains(line[:brace], "#") {
		return nil, nil, false
	}
	words = split(tuples().ReplaceAllStringFunc(line[:brace], joinTuple), number)
	if len(words) != 2 {
		return nil, nil, false
	}
	d := dict{
		collector: c, text: line, at: brace + 1,
		line: config.Position{Line: number, Column: utf8.RuneCountInString(line[:brace]) + 2, Width: 1},
	}
	return words, d.read(), true
}

// tuples matches tuples as Python prints them, such as (0, 1).
var tuples = pattern.Lazy(`\([^()]*\)`)

// joinTuple makes one word of a tuple, of the same width: columns of errors stay right.
func joinTuple(tuple string) string {
	word := strings.NewReplacer(" ", "", ",", tupleMark, "'", "").Replace(strings.Trim(tuple, "()"))
	word = strings.TrimSuffix(word, tupleMark) // of a tuple of one
	return word + strings.Repeat(" ", len(tuple)-len(word))
}

// dict reads a dictionary as Python prints it: numbers, strings, True, False and None.
type dict struct {
	*collector
	text string
	at   int
	line config.Position
}

// read reads the dictionary. It reports what is not one.
func (d *dict) read() (list []attribute) {
	d.skip("{")
	for !d.next("}") {
		begin := d.at
		key, ok := d.value()
		if !ok || !d.next(":") {
			d.wrong(begin)
			return nil
		}
		d.blank()
		at := d.position(d.at)
		text, ok := d.value()
		if !ok {
			d.wrong(d.at)
			return nil
		}
		if text != "None" {
			list = append(list, attribute{key, text, at})
		}
		if !d.next(",") && !strings.HasPrefix(d.text[d.at:], "}") {
			d.wrong(d.at)
			return nil
		}
	}
	if rest := fields.Append(nil, d.text[d.at:]); len(rest) > 0 {
		d.wrong(d.at)
		return nil
	}
	return list
}

func (d *dict) position(at int) config.Position {
	p := d.line
	p.Column = utf8.RuneCountInString(d.text[:at]) + 1
	return p
}

func (d *dict) wrong(at int) {
	found := strings.TrimSpace(d.text[at:])
	if found == "" {
		found = "the end of the line"
	}
	d.fail(d.position(min(at, len(d.text))), "attributes", found, "attributes such as {'bandwidth': '8GB/s', 'latency_ns': 50}", "")
}

// nested reads a list, tuple or dictionary as text. No attribute with an influence has such a value.
func (d *dict) nested() (text string, ok bool) {
	begin, depth := d.at, 0
	for d.at < len(d.text) {
		switch c := d.text[d.at]; {
		case c == '\'' || c == '"':
			if _, ok := d.value(); !ok {
				return "", false
			}
			continue
		case strings.IndexByte("([{", c) >= 0:
			depth++
		case strings.IndexByte(")]}", c) >= 0:
			depth--
		}
		if d.at++; depth == 0 {
			return d.text[begin:d.at], true
		}
	}
	return "", false
}

func (d *dict) blank() {
	for d.at < len(d.text) && strings.IndexByte(" \t\r", d.text[d.at]) >= 0 {
		d.at++
	}
}

func (d *dict) skip(sign string) { d.at += len(sign) }

// next skips a sign, after blanks, and reports whether it is there.
func (d *dict) next(sign string) bool {
	d.blank()
	if strings.HasPrefix(d.text[d.at:], sign) {
		d.skip(sign)
		d.blank()
		return true
	}
	return false
}

// value reads a string in quotes, or a word.
func (d *dict) value() (text string, ok bool) {
	if d.at == len(d.text) {
		return "", false
	}
	quote := d.text[d.at]
	if strings.IndexByte("([{", quote) >= 0 {
		return d.nested()
	}
	if quote != '\'' && quote != '"' {
		begin := d.at
		for d.at < len(d.text) && strings.IndexByte(" \t\r,:{}[]()'\"", d.text[d.at]) < 0 {
			d.at++
		}
		return d.text[begin:d.at], d.at > begin
	}
	var b strings.Builder
	for i := d.at + 1; i < len(d.text); i++ {
		switch c := d.text[i]; {
		case c == quote:
			d.at = i + 1
			return b.String(), true
		case c == '\\' && i+1 < len(d.text):
			i++
			b.WriteByte(d.text[i])
		default:
			b.WriteByte(c)
		}
	}
	return "", false
}
