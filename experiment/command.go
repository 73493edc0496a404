package experiment

import (
	"slices"
	"strings"

	"fabricast/internal/input"
	"fabricast/internal/units"
)

// CommandLine is a program in C and its arguments, as in a shell: blanks separate words, quotes and
// backslashes keep them together. Nothing is expanded.
type CommandLine string

// Set implements config.Setter. It returns a *units.Error for a text without a word, or with a quote
// that does not end.
func (c *CommandLine) Set(text string) error {
	words, err := SplitCommand(text)
	switch {
	case err != nil:
		return err
	case len(words) == 0 || words[0] == "":
		return &units.Error{Found: text, Expected: "a program in C and its arguments, such as ./cg -n 100"}
	}
	*c = CommandLine(text)
	return nil
}

// Words returns the program and its arguments; nil if there is none.
func (c CommandLine) Words() []string {
	words, _ := SplitCommand(string(c)) // Set has accepted it
	return words
}

// withProgram returns the command line with another path of the program.
func (c CommandLine) withProgram(path string) CommandLine {
	words := slices.Clone(c.Words())
	words[0] = path
	for i, word := range words {
		if word == "" || strings.ContainsAny(word, " \t\r\n'\"\\") {
			words[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	return CommandLine(strings.Join(words, " "))
}

// SplitCommand splits a command line into words as a shell does, without expanding anything. The
// error is a *units.Error.
func SplitCommand(text string) (words []string, err error) {
	var word strings.Builder
	quote, within, escaped := rune(0), false, false
	for _, c := range text {
		switch {
		case escaped:
			if quote == '"' && c != '"' && c != '\\' {
				word.WriteByte('\\')
			}
			word.WriteRune(c)
			escaped = false
		case c == '\\' && quote != '\'':
			escaped, within = true, true
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(c)
		case c == '\'' || c == '"':
			quote, within = c, true
		case strings.ContainsRune(" \t\r\n", c):
			if within {
				words = append(words, word.String())
			}
			word.Reset()
			within = false
		default:
			word.WriteRune(c)
			within = true
		}
	}
	switch {
	case quote != 0:
		return nil, &units.Error{Found: text, Expected: "a second " + string(quote)}
	case escaped:
		return nil, &units.Error{Found: text, Expected: "a character after the last backslash"}
	case within:
		words = append(words, word.String())
	}
	return words, nil
}

// FindCommand returns a *failure.ConfigError if the program that workload.command names is not
// there, or is a folder.
func (e *Experiment) FindCommand() error {
	words := e.Workload.Command.Words()
	if len(words) == 0 {
		return nil
	}
	found := words[0]
	switch about, err := input.About(words[0]); {
	case err != nil:
		found += ", which is not there"
	case about.IsDir():
		found += ", a folder"
	default:
		return nil
	}
	return e.Refuse(
		"workload.command", found, "a program that the wrappers have built",
		"a path is relative to the file that names it; fabricast mpi-wrappers makes the wrappers",
	)
}
