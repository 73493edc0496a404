package units

import "strconv"

// Plural counts things in words, as in "1 link" and "2 links".
func Plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return strconv.Itoa(n) + " " + thing + "s"
}
