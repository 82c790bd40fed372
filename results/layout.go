package results

import (
	"bytes"
	"encoding/json"
)

// lineWidth is how long a value may be that stands on one line.
const lineWidth = 110

// layout appends JSON to b with two spaces an indent, but what fits on a
// line stays on one, so that a schedule or a cost can be read at a glance.
func layout(b *bytes.Buffer, raw json.RawMessage, indent int) error {
	if line := spaced(raw); len(line)+indent <= lineWidth || (raw[0] != '{' && raw[0] != '[') {
		b.Write(line)
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	if _, err := dec.Token(); err != nil {
		return err
	}
	b.WriteByte(raw[0])
	for first := true; dec.More(); first = false {
		if !first {
			b.WriteByte(',')
		}
		newline(b, indent+2)
		if raw[0] == '{' {
			var key json.RawMessage
			if err := nextKey(dec, &key); err != nil {
				return err
			}
			b.Write(key)
			b.WriteString(": ")
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return err
		}
		if err := layout(b, value, indent+2); err != nil {
			return err
		}
	}
	newline(b, indent)
	b.WriteByte(raw[len(raw)-1])
	return nil
}

// spaced returns compact JSON with a space after each comma and colon.
func spaced(raw []byte) []byte {
	line := make([]byte, 0, len(raw)+len(raw)/8)
	text, escaped := false, false
	for _, c := range raw {
		line = append(line, c)
		switch {
		case escaped:
			escaped = false
		case text && c == '\\':
			escaped = true
		case c == '"':
			text = !text
		case !text && (c == ',' || c == ':'):
			line = append(line, ' ')
		}
	}
	return line
}

func nextKey(dec *json.Decoder, key *json.RawMessage) error {
	token, err := dec.Token()
	if err != nil {
		return err
	}
	*key, err = json.Marshal(token)
	return err
}

func newline(b *bytes.Buffer, indent int) {
	b.WriteByte('\n')
	for range indent {
		b.WriteByte(' ')
	}
}
