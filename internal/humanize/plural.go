package humanize

import "strings"

// Plural formats a count of things, as in "1 link", "2 switches" and "3,000 entries".
func Plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	if stem, found := strings.CutSuffix(thing, "y"); found {
		thing = stem + "ie"
	} else if strings.HasSuffix(thing, "ch") {
		thing += "e"
	}
	return Count(n) + " " + thing + "s"
}
