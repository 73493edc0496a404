// Package filename checks names in users' files that are used as file names, so that all are valid
// on every system and none refers outside its folder.
package filename

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Longest is the largest length of a name in bytes. Systems allow 255, which must include
// extensions and the additions of temporary names.
const Longest = 200

// Expected describes a valid name, for messages.
const Expected = "a name of at most 200 bytes without / \\ : * ? \" < > | and control characters, " +
	"not reserved and without a dot or blank at its ends"

var errName = errors.New("expected " + Expected)

// reserved lists names that stand for devices on Windows, whatever their endings.
var reserved = []string{
	"con", "prn", "aux", "nul", "com0", "com1", "com2", "com3", "com4", "com5", "com6", "com7",
	"com8", "com9",
	"lpt0", "lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9",
}

// OK reports whether a name is valid as that of a file in any folder.
func OK(name string) bool {
	stem, _, _ := strings.Cut(strings.ToLower(name), ".")
	switch {
	case name == "", len(name) > Longest, !utf8.ValidString(name), strings.Trim(name, ". ") != name:
		return false
	case strings.ContainsAny(name, `/\:*?"<>|`),
		strings.ContainsFunc(name, strange),
		slices.Contains(reserved, strings.TrimSpace(stem)):
		return false
	}
	return true
}

// strange reports whether a character is invisible, or changes the direction of the text around it.
func strange(r rune) bool { return r != ' ' && !unicode.IsPrint(r) }

// Within returns the path of a file in a folder. The name may consist of parts separated by
// slashes. It returns an error if one of them is not OK.
func Within(folder, name string) (string, error) {
	for part := range strings.SplitSeq(name, "/") {
		if !OK(part) {
			return "", errName
		}
	}
	return filepath.Join(folder, filepath.FromSlash(name)), nil
}
