package fabricast

import "fabricast/internal/version"

// Version is the release of Fabricast.
const Version = version.Version

// FullVersion returns Version followed by the commit that the program was built from, if that is
// known.
func FullVersion() string { return version.Full() }
