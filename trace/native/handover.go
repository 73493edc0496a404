package native

import (
	"encoding/gob"
	"io"
)

// If several processes write a trace, each process writes the records of its own ranks. Give and
// Take transfer the records to the process that closes the trace.

// given is the header that precedes the transferred records of a rank.
type given struct {
	Records  uint64
	OneSided bool
	Length   int64 // bytes
}

// mostGiven is the maximum number of bytes of records to transfer at once.
const mostGiven = 256 << 10

// Give sends all records of a rank, for Take.
func (w *Writer) Give(rank int, out *gob.Encoder) error {
	if w.err != nil {
		return w.err
	}
	k := &w.ranks[rank]
	if err := out.Encode(given{k.records, k.oneSided, k.length()}); err != nil {
		return err
	}
	in := k.reader()
	piece := make([]byte, mostGiven)
	for left := k.length(); left > 0; {
		piece = piece[:min(left, mostGiven)]
		if _, err := io.ReadFull(in, piece); err != nil {
			return err
		}
		if err := out.Encode(piece); err != nil {
			return err
		}
		left -= int64(len(piece))
	}
	return nil
}

// Take receives the records of a rank that another Writer sends with Give. Close returns errors of
// the spool file.
func (w *Writer) Take(rank int, in *gob.Decoder) error {
	var head given
	if err := in.Decode(&head); err != nil {
		return err
	}
	k := &w.ranks[rank]
	k.records, k.oneSided = head.Records, head.OneSided
	var piece []byte
	for left := head.Length; left > 0; left -= int64(len(piece)) {
		piece = piece[:0]
		if err := in.Decode(&piece); err != nil {
			return err
		}
		k.encoder.b = append(k.encoder.b, piece...)
		if len(k.encoder.b) >= leastPart {
			k.spool()
		}
	}
	return nil
}
