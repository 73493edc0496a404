package config

import "strings"

// Suggest returns the known word that is most similar to a mistyped word; "" if none is similar. Of
// equally similar words it prefers one with the same letters.
func Suggest(word string, known []string) string {
	best, least := "", nearness{max(2, len(word)/3) + 1, 0}
	for _, k := range known {
		d := nearness{distance(strings.ToLower(word), strings.ToLower(k)), otherLetters(word, k)}
		if sameStem(word, k) {
			d.edits = min(d.edits, 2)
		}
		if d.less(least) {
			best, least = k, d
		}
	}
	return best
}

// nearness measures the difference between two words.
type nearness struct {
	edits   int
	letters int // letters that only one of them has
}

func (n nearness) less(m nearness) bool {
	return n.edits < m.edits || n.edits == m.edits && n.letters < m.letters
}

// sameStem reports whether one word is a prefix of the other, or both differ only in their endings,
// like copy and copies.
func sameStem(a, b string) bool {
	common, shorter := 0, min(len(a), len(b))
	for common < shorter && a[common] == b[common] {
		common++
	}
	return len(a) >= 2 && (common == shorter || common >= 3 && 4*common >= 3*shorter)
}

// otherLetters counts the letters that one of two words has more often than the other.
func otherLetters(a, b string) int {
	var more [256]int
	for _, c := range []byte(strings.ToLower(a)) {
		more[c]++
	}
	for _, c := range []byte(strings.ToLower(b)) {
		more[c]--
	}
	count := 0
	for _, n := range more {
		count += max(n, -n)
	}
	return count
}

// DidYouMean returns the suggestion as a hint for messages; "" if no known word is similar.
func DidYouMean(word string, known []string) string {
	if s := Suggest(word, known); s != "" && s != word {
		return "did you mean " + s + "?"
	}
	return ""
}

// OneOf formats the possible values of a field for messages.
func OneOf(known []string) string {
	if len(known) == 1 {
		return known[0]
	}
	return "one of " + strings.Join(known, ", ")
}

// distance returns the number of insertions, deletions, replacements and exchanges of adjacent
// letters that turn one word into the other, if no letter is changed twice: optimal string
// alignment (F. J. Damerau, A technique for computer detection and correction of spelling errors,
// Communications of the ACM 7(3), 1964).
func distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, last, row = last, row, before
		row[0] = i + 1
		for j := range len(b) {
			replaced := last[j]
			if a[i] != b[j] {
				replaced++
			}
			row[j+1] = min(replaced, row[j]+1, last[j+1]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
