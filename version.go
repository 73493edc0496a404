package fabricast

import "runtime/debug"

// Version is the release of Fabricast.
const Version = "0.1.0-dev"

// FullVersion is Version with the commit it was built from, where that is known.
func FullVersion() string {
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
