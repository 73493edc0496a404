// Package otf2 reads and writes archives of the Open Trace Format 2 (OTF2). It reads versions 2.0
// to 3.x with substrate POSIX, as written by Score-P and the OTF2 library.
//
// An archive is an anchor file NAME.otf2, global definitions NAME.def, and a folder NAME with a
// file of events (L.evt) and one of local definitions (L.def) for each location L.
// docs/formats/traces.md describes the encoding.
//
// A location is a stream of events, such as those of a thread. The events of a rank are those of
// its location in the list of MPI locations, merged with those of the other threads of its process
// (see process). The stream of a location consists of MPI calls, which are the events from the
// enter to the leave event of an MPI region, and computation between them. The event that starts a
// nonblocking receive does not contain the source, tag and size. The stream reads ahead to the
// event that completes the receive, which does.
package otf2
