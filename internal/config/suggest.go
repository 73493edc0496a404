package config

import "strings"

// Suggest finds the word among known ones that a mistyped word most likely
// stands for; empty if none is near.
func Suggest(word string, known []string) string {
	best, bestDistance := "", max(2, len(word)/3)+1
	for _, k := range known {
		d := distance(strings.ToLower(word), strings.ToLower(k))
		if len(word) >= 2 && (strings.HasPrefix(k, word) || strings.HasPrefix(word, k)) {
			d = min(d, 2)
		}
		if d < bestDistance {
			best, bestDistance = k, d
		}
	}
	return best
}

// DidYouMean words the suggestion as a hint, empty if nothing is near.
func DidYouMean(word string, known []string) string {
	if s := Suggest(word, known); s != "" && s != word {
		return "did you mean " + s + "?"
	}
	return ""
}

// OneOf lists the possible values of a field, for messages.
func OneOf(known []string) string {
	if len(known) == 1 {
		return known[0]
	}
	return "one of " + strings.Join(known, ", ")
}

// distance is the Levenshtein distance of two words.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
