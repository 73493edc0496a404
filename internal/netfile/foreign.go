package netfile

import (
	"regexp"

	"fabricast/internal/config"
	"fabricast/internal/pattern"
)

// foreign are beginnings of files that are no list of links, and what such a file is called. A list of links is
// what has no other mark, so each line of such a file would be a mistake.
var foreign = []struct {
	begins func() *regexp.Regexp
	name   string
}{
	{pattern.Lazy(`^\s*[\[{]`), "JSON that is no network"},
	{pattern.Lazy(`^\s*<`), "XML that is not GraphML"},
	{pattern.Lazy(`^\s*(?:Creator\b.*\n\s*)?graph\s*\[`), "GML"},
	{pattern.Lazy(`^\s*(?:strict\s+)?(?:di)?graph\s*(?:\w+\s*|"[^"]*"\s*)?\{`), "Graphviz"},
	{pattern.Lazy(`^\s*(?:---|[\w-]+:\s*\n)`), "YAML that is no network"},
	{pattern.Lazy(`^\s*\*(?i:vertices|network)\b`), "Pajek"},
}

// refuse returns the problem with a text that is in none of the formats and not a list of links; nil if it
// may be one.
func refuse(source *config.Source) config.Problems {
	for _, f := range foreign {
		if f.begins().MatchString(source.Text) {
			return config.Problems{{
				Position: config.Position{Source: source, Line: 1, Column: 1, Width: 1}, Found: f.name,
				Expected: "a format that 'fabricast network formats' lists",
			}}
		}
	}
	return nil
}
