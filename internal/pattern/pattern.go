// Package pattern has regular expressions that are compiled when they are first used. Most commands
// need few of those that packages declare.
package pattern

import (
	"regexp"
	"sync"
)

// Lazy returns a function that returns a regular expression. It panics at its first call if the
// expression is invalid.
func Lazy(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
