package channel

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// schema is the part of JSON Schema that our tools need: claude reads it, and
// check holds the arguments against it. The validators that exist cost every
// hook several milliseconds at start, or word their complaints for programmers;
// a model needs sentences to correct itself.
type schema struct {
	Type       string             `json:"type,omitempty"` // string, integer, boolean, array, object; empty with AnyOf
	About      string             `json:"description,omitempty"`
	Enum       []string           `json:"enum,omitempty"`
	MinLength  int                `json:"minLength,omitempty"` // in characters
	MaxLength  int                `json:"maxLength,omitempty"` // 0: no limit
	Minimum    *int64             `json:"minimum,omitempty"`
	Maximum    *int64             `json:"maximum,omitempty"`
	Items      *schema            `json:"items,omitempty"`
	MinItems   int                `json:"minItems,omitempty"`
	MaxItems   int                `json:"maxItems,omitempty"`
	Properties map[string]*schema `json:"properties,omitempty"`
	Required   []string           `json:"required,omitempty"`
	Closed     *bool              `json:"additionalProperties,omitempty"` // false: no properties but those
	AnyOf      []*schema          `json:"anyOf,omitempty"`
}

// decodeArgs reads the arguments of a call. None at all are an empty object.
func decodeArgs(raw json.RawMessage) (any, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return map[string]any{}, nil
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, fmt.Errorf("read arguments: %w", err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fmt.Errorf("read arguments: there is more than one value")
	}
	return v, nil
}

// check returns what is wrong with v, each with its place, in a fixed order.
func (s *schema) check(place string, v any) []string {
	if len(s.AnyOf) > 0 {
		return s.checkAny(place, v)
	}
	if got := typeOf(v); got != s.Type {
		return []string{say(place, "want %s, have %s", words[s.Type], orElse(words[got], got))}
	}
	switch v := v.(type) {
	case string:
		return s.checkString(place, v)
	case json.Number:
		return s.checkInteger(place, v)
	case []any:
		return s.checkArray(place, v)
	case map[string]any:
		return s.checkObject(place, v)
	}
	return nil
}

// checkAny takes v if one alternative does. Otherwise it complains for the one
// that has v's type.
func (s *schema) checkAny(place string, v any) []string {
	var types []string
	for _, a := range s.AnyOf {
		if a.Type == typeOf(v) {
			return a.check(place, v)
		}
		types = append(types, words[a.Type])
	}
	return []string{say(place, "want %s, have %s", strings.Join(types, " or "), orElse(words[typeOf(v)], typeOf(v)))}
}

func (s *schema) checkString(place, v string) []string {
	n := utf8.RuneCountInString(v)
	switch {
	case len(s.Enum) > 0 && !slices.Contains(s.Enum, v):
		return []string{say(place, "want one of %s", strings.Join(s.Enum, ", "))}
	case n < s.MinLength && n == 0:
		return []string{say(place, "is empty")}
	case n < s.MinLength:
		return []string{say(place, "has %d characters, the least is %d", n, s.MinLength)}
	case s.MaxLength > 0 && n > s.MaxLength:
		return []string{say(place, "has %d characters, the most is %d", n, s.MaxLength)}
	}
	return nil
}

func (s *schema) checkInteger(place string, v json.Number) []string {
	n, err := v.Int64()
	switch {
	case err != nil: // typeOf says integer also for 1e400 and 99999999999999999999
		return []string{say(place, "is too large")}
	case s.Minimum != nil && n < *s.Minimum:
		return []string{say(place, "is %d, the least is %d", n, *s.Minimum)}
	case s.Maximum != nil && n > *s.Maximum:
		return []string{say(place, "is %d, the most is %d", n, *s.Maximum)}
	}
	return nil
}

func (s *schema) checkArray(place string, v []any) []string {
	switch {
	case len(v) < s.MinItems:
		return []string{say(place, "has %d entries, the least is %d", len(v), s.MinItems)}
	case s.MaxItems > 0 && len(v) > s.MaxItems:
		return []string{say(place, "has %d entries, the most is %d", len(v), s.MaxItems)}
	case s.Items == nil:
		return nil
	}
	var wrong []string
	for i, item := range v {
		wrong = append(wrong, s.Items.check(fmt.Sprintf("%s[%d]", place, i), item)...)
	}
	return wrong
}

func (s *schema) checkObject(place string, v map[string]any) []string {
	var wrong []string
	for _, need := range s.Required {
		if v[need] == nil {
			wrong = append(wrong, say(join(place, need), "is missing"))
		}
	}
	names := make([]string, 0, len(v))
	for name := range v {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		switch p := s.Properties[name]; {
		case v[name] == nil && p != nil: // null is as good as left out
		case p != nil:
			wrong = append(wrong, p.check(join(place, name), v[name])...)
		case s.Closed != nil && !*s.Closed:
			wrong = append(wrong, say(join(place, name), "there is no such argument"))
		}
	}
	return wrong
}

// words for the types, as a model knows them.
var words = map[string]string{
	"string": "a string", "integer": "a whole number", "boolean": "true or false",
	"array": "an array", "object": "an object", "number": "a number", "null": "null",
}

func typeOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		return "string"
	case bool:
		return "boolean"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	case json.Number:
		if strings.ContainsAny(v.String(), ".eE") {
			return "number"
		}
		return "integer"
	}
	return fmt.Sprintf("%T", v)
}

// say words a complaint about a place. What comes from the caller is cut: it
// may be long.
func say(place, format string, args ...any) string {
	const most = 80
	if len(place) > most {
		place = strings.ToValidUTF8(place[:most], "") + "…"
	}
	return orElse(place, "the arguments") + ": " + fmt.Sprintf(format, args...)
}

func join(place, name string) string {
	if place == "" {
		return name
	}
	return place + "." + name
}
