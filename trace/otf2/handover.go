package otf2

import (
	"encoding/gob"
	"io"
	"os"
)

// Where several processes write an archive, each writes the events of its own ranks. Give and Take
// bring these to the one that closes the archive.

// given is what precedes the events of a rank.
type given struct {
	Names   []string // of its regions
	Groups  []int32  // by the numbers of the location, those in the archive
	Puts    bool
	Blocks  int // the most of a collective of the process
	Now     int64
	Records uint64
	Length  int64 // bytes of its file
}

// mostGiven is how much is given at once (bytes).
const mostGiven = 256 << 10

// Give ends the events of a rank and passes them on.
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

// Take gets the events of a rank that another Writer gives.
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
