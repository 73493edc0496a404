package option

import (
	"slices"
	"strings"
)

// Kind is a variant with its options, for a table of all variants.
type Kind struct {
	Name    string
	Options []Option
}

// Table returns the rows of a Markdown table of all kinds' fields: path, meaning and default.
// Fields of several kinds share a row, which names the kinds where they differ.
func Table(path string, kinds []Kind) string {
	var names []string
	for _, k := range kinds {
		for _, o := range k.Options {
			if !slices.Contains(names, o.Name) {
				names = append(names, o.Name)
			}
		}
	}
	var b strings.Builder
	for _, name := range names {
		help, otherwise := said{}, said{}
		for _, k := range kinds {
			for _, o := range k.Options {
				if o.Name == name {
					help.add(k.Name, o.Help)
					otherwise.add(k.Name, needed(o.Default))
				}
			}
		}
		b.WriteString("| `" + path + "." + name + "` | " + help.all() + " | " + otherwise.apart() + " |\n")
	}
	return strings.ReplaceAll(b.String(), "\x00", `\|`)
}

// needed returns the default of an option as the table shows it; "-" if there is none.
func needed(text string) string {
	switch text {
	case "":
		return "*needed*"
	case "-":
		return ""
	}
	return text
}

// said collects the texts that several kinds have for one field.
type said struct {
	texts []string
	kinds [][]string
}

func (s *said) add(kind, text string) {
	i := slices.Index(s.texts, text)
	if i < 0 {
		i = len(s.texts)
		s.texts, s.kinds = append(s.texts, text), append(s.kinds, nil)
	}
	s.kinds[i] = append(s.kinds[i], kind)
}

// all returns the texts, each preceded by the kinds to which it applies.
func (s *said) all() string { return s.from(0) }

// apart returns the texts; only those that differ from the first are preceded by their kinds.
func (s *said) apart() string { return s.from(1) }

func (s *said) from(first int) string {
	var parts []string
	for i, text := range s.texts {
		if i >= first && text != "" {
			text = "`" + strings.Join(s.kinds[i], "`, `") + "`: " + text
		}
		if text != "" {
			parts = append(parts, strings.ReplaceAll(text, "|", "\x00"))
		}
	}
	return strings.Join(parts, "; ")
}
