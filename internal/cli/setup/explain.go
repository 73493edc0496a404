package setup

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"fabricast/experiment"
	"fabricast/internal/cli/cmdline"
	"fabricast/internal/cli/console"
	"fabricast/internal/config"
)

// fieldList is the JSON output of fabricast explain.
type fieldList struct {
	Schema string             `json:"schema"`
	Fields []experiment.Field `json:"fields"`

	asked string // path of the field asked for; "": all fields
}

// NewExplain returns the command that explains fields of experiment files.
func NewExplain() *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "explain [FIELD]",
		Short: "Say what a field of an experiment means: its values, unit, default, an example",
		Long: `Say what a field of an experiment means, which values it takes in which unit, its default, and an
example; of a field with fields of its own, list these. Without a field, list those of an experiment.`,
		Example: `  fabricast explain network.router.vcs
  fabricast explain network.link
  fabricast explain network.topology.kind`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return cmdline.WrongArguments(cmd, args, "the path of one field, or none")
			}
			return nil
		},
		ValidArgsFunction: completeField,
		RunE: func(cmd *cobra.Command, args []string) error {
			list := fieldList{Schema: "fabricast.fields/1", Fields: experiment.Fields()}
			if len(args) == 1 {
				var err error
				if list, err = list.below(args[0]); err != nil {
					return cmdline.Usage(cmd, err)
				}
			}
			return console.Show(cmd, asJSON, &list, printFields)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the field, and all fields below it, as JSON")
	return cmd
}

// completeField completes the path of a field.
func completeField(_ *cobra.Command, args []string, text string) (list []string, _ cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	for _, f := range experiment.Fields() {
		if strings.HasPrefix(f.Path, text) {
			list = append(list, f.Path)
		}
	}
	return list, cobra.ShellCompDirectiveNoFileComp
}

// below returns the field with a path and all fields below it. The path may be written as in
// messages, with indexes of lists and real names in the place of NAME.
func (l *fieldList) below(path string) (fieldList, error) {
	if path == "" {
		return fieldList{}, errors.New("found an empty name, expected that of a field such as network.link.latency")
	}
	asked := l.find(strings.TrimSuffix(path, "."))
	if asked == "" {
		err := fmt.Errorf("found %s, expected a field of an experiment", path)
		if near := l.near(path); len(near) > 0 {
			err = fmt.Errorf("%w (did you mean %s?)", err, strings.Join(near, ", or "))
		}
		return fieldList{}, err
	}
	list := fieldList{Schema: l.Schema, asked: asked}
	for _, f := range l.Fields {
		if f.Path == asked || strings.HasPrefix(f.Path, asked+".") || strings.HasPrefix(f.Path, asked+"[].") {
			list.Fields = append(list.Fields, f)
		}
	}
	return list, nil
}

// find returns the path of the field that a text means; "" if there is none. A name as written goes
// before one in the place of NAME.
func (l *fieldList) find(text string) (path string) {
	for _, f := range l.Fields {
		if f.Path == text {
			return text
		}
		if path == "" && means(text, f.Path) {
			path = f.Path
		}
	}
	return path
}

// means reports whether a text is the path, but for indexes of lists and real names.
func means(text, path string) bool {
	given, names := strings.Split(text, "."), strings.Split(path, ".")
	return slices.EqualFunc(given, names, func(given, name string) bool {
		plain, _, _ := strings.Cut(given, "[")
		return name == "NAME" && given != "" || plain == strings.TrimSuffix(name, "[]")
	})
}

const (
	mostNear = 3 // the largest number of fields that a message suggests
	shortest = 3 // letters of a name that is suggested without the path before it
)

// near returns the paths that are most similar to a mistyped one: those that end with it, or the one
// with the most similar name.
func (l *fieldList) near(text string) (list []string) {
	var paths, lasts []string
	for _, f := range l.Fields {
		paths = append(paths, f.Path)
		last := f.Path[strings.LastIndexByte(f.Path, '.')+1:]
		if len(last) < shortest {
			last = "" // any text is similar to a letter
		}
		lasts = append(lasts, last)
		if strings.HasSuffix(f.Path, "."+text) && len(list) < mostNear {
			list = append(list, f.Path)
		}
	}
	if len(list) > 0 {
		return list
	}
	if before, last, nested := cutLast(text); nested && l.find(before) != "" {
		var here []string // names of the fields of a field that is right
		for _, path := range paths {
			if of, name, _ := cutLast(path); of == l.find(before) || of == l.find(before)+"[]" {
				here = append(here, name)
			}
		}
		if name := config.Suggest(last, here); name != "" {
			return []string{l.find(before) + "." + name}
		}
	}
	if path := config.Suggest(text, paths); path != "" {
		return []string{path}
	}
	word := config.Suggest(text[strings.LastIndexByte(text, '.')+1:], lasts)
	for i, last := range lasts {
		if word != "" && last == word && len(list) < mostNear {
			list = append(list, paths[i])
		}
	}
	return list
}

func cutLast(path string) (before, last string, nested bool) {
	i := strings.LastIndexByte(path, '.')
	if i < 0 {
		return "", path, false
	}
	return path[:i], path[i+1:], true
}

// textWidth is the number of columns of explanations.
const textWidth = 100

func printFields(out io.Writer, list *fieldList) error {
	below := list.Fields
	if list.asked != "" {
		describeField(out, &list.Fields[0])
		below = list.Fields[1:]
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	if list.asked != "" && len(below) > 0 {
		fmt.Fprintln(out, "\nfields")
	}
	for i := range below {
		f := &below[i]
		if list.asked == "" && strings.ContainsAny(f.Path, ".[") {
			continue
		}
		fmt.Fprintf(w, "  %s\t%s\n", f.Path, firstPart(f.Text))
	}
	return w.Flush()
}

// firstPart returns a text up to the end of its first part, for lists. A few words before a colon are
// a condition or a value, and say nothing alone.
func firstPart(text string) string {
	const most, few = 60, 4
	for _, end := range []string{". ", "; ", " ("} {
		text, _, _ = strings.Cut(text, end)
	}
	if before, _, _ := strings.Cut(text, ": "); len(strings.Fields(before)) > few {
		text = before
	}
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "..."
	}
	return text
}

// describeField prints all that is known of a field.
func describeField(w io.Writer, f *experiment.Field) {
	fmt.Fprintln(w, f.Path)
	if f.Text != "" {
		folded(w, "  ", f.Text)
	}
	say := func(name, text string) {
		if text != "" {
			folded(w, fmt.Sprintf("  %-8s  ", name), text)
		}
	}
	value := f.Value
	if f.Least != nil {
		value += fmt.Sprintf(", from %g to %g", *f.Least, *f.Most)
	}
	say("value", value)
	say("unit", f.Unit)
	say("default", f.Default)
	say("example", f.Example)
	if f.Set != "" {
		say("", "--set "+f.Set)
	}
	describeWords(w, f)
	for _, p := range f.Programs {
		text := p.Text
		if p.Default != "" {
			text += "; default " + p.Default
		}
		folded(w, fmt.Sprintf("    %-16s  ", p.Program), text)
	}
}

// describeWords prints the words of a field, one a line if they are described.
func describeWords(w io.Writer, f *experiment.Field) {
	var plain []string
	for _, word := range f.Words {
		plain = append(plain, word.Word)
	}
	if !slices.ContainsFunc(f.Words, func(w experiment.Word) bool { return w.Text != "" }) {
		if len(plain) > 0 {
			folded(w, "  words     ", strings.Join(plain, ", "))
		}
		return
	}
	fmt.Fprintln(w, "  words")
	for _, word := range f.Words {
		folded(w, fmt.Sprintf("    %-16s  ", word.Word), word.Text)
	}
}

// folded prints a text in lines of textWidth columns, the first after a heading, the others below
// its end.
func folded(w io.Writer, heading, text string) {
	line, indent := heading, strings.Repeat(" ", len(heading))
	empty := true
	for word := range strings.FieldsSeq(text) {
		switch {
		case empty:
			line += word
		case len(line)+1+len(word) > textWidth:
			fmt.Fprintln(w, line)
			line = indent + word
		default:
			line += " " + word
		}
		empty = false
	}
	fmt.Fprintln(w, line)
}
