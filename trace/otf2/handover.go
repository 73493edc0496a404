package otf2

import (
	"encoding/gob"
	"io"
	"os"
)

// If several processes write an archive, each process writes the events of its own ranks. Give and
// Take transfer the events to the process that closes the archive.

// given is the header that precedes the transferred events of a rank.
type given struct {
	Names   []string // names of the rank's regions
	Groups  []int32  // by group index of the location: group index in the archive
	Puts    bool
	Blocks  int // maximum length of trace.Operation.Blocks in the process
	Now     int64
	Records uint64
	Length  int64 // size of the event file, in bytes
}

// mostGiven is the maximum number of bytes of events to transfer at once.
const mostGiven = 256 << 10

// Give completes the event file of a rank and sends it, for Take.
func (w *Writer) Give(rank int, out *gob.Encoder) error {
	k := &w.ranks[rank]
	if err := k.end(); err != nil {
		return err
	}
	f, err := os.Open(k.file.path)
	if err != nil {
		return err
	}
	defer f.Close()
	head := given{k.names, k.numbers(), k.puts, w.blocks, k.now, k.file.records, k.file.saved}
	if err := out.Encode(head); err != nil {
		return err
	}
	piece := make([]byte, mostGiven)
	for left := head.Length; left > 0; {
		piece = piece[:min(left, mostGiven)]
		if _, err := io.ReadFull(f, piece); err != nil {
			return err
		}
		if err := out.Encode(piece); err != nil {
			return err
		}
		left -= int64(len(piece))
	}
	return nil
}

// Take receives the events of a rank that another Writer sends with Give.
func (w *Writer) Take(rank int, in *gob.Decoder) error {
	var head given
	if err := in.Decode(&head); err != nil {
		return err
	}
	w.hasBlocks(head.Blocks)
	k := &w.ranks[rank]
	k.taken, k.names, k.groups, k.puts, k.now = true, head.Names, head.Groups, head.Puts, head.Now
	f, err := os.Create(k.file.path)
	if err != nil {
		return err
	}
	defer f.Close()
	var piece []byte
	for left := head.Length; left > 0; left -= int64(len(piece)) {
		piece = piece[:0]
		if err := in.Decode(&piece); err != nil {
			return err
		}
		if _, err := f.Write(piece); err != nil {
			return err
		}
	}
	k.file.records = head.Records
	return f.Close()
}
