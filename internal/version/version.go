// Package version holds the release number of Fabricast.
package version

import "runtime/debug"

// Version is the release number of Fabricast.
const Version = "0.5.0"

// Full returns Version with the commit that the program was built from, if known.
func Full() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return Version
	}
	revision, changed := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = "+" + s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = ".changed"
		}
	}
	return Version + revision + changed
}
