// Package otf2 reads archives of the Open Trace Format 2, as Score-P and the OTF2 library write
// them (version 2.0 to 3.0, substrate POSIX).
//
// An archive is an anchor file NAME.otf2, global definitions NAME.def, and a folder NAME with a
// file of events (L.evt) and one of local definitions (L.def) for each location L.
// docs/formats/traces.md describes the encoding.
//
// A rank is the location that the archive lists for it among MPI's, and the other threads of its
// process (see process). A location's events are cut into calls of MPI (what lies between the enter
// and the leave of an MPI region) and the computation between them. A receive that was started is
// completed by a later event that names its source, tag and size; the stream reads ahead up to that
// event.
package otf2
