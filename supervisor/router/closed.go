package router

// The closed set of events, and their names in the journal.

func (PeerJoined) eventType() string          { return "PeerJoined" }
func (PeerLeft) eventType() string            { return "PeerLeft" }
func (PeerRenamed) eventType() string         { return "PeerRenamed" }
func (RoomCreated) eventType() string         { return "RoomCreated" }
func (RoomJoined) eventType() string          { return "RoomJoined" }
func (RoomLeft) eventType() string            { return "RoomLeft" }
func (RoomArchived) eventType() string        { return "RoomArchived" }
func (Posted) eventType() string              { return "Posted" }
func (Offered) eventType() string             { return "Offered" }
func (Seen) eventType() string                { return "Seen" }
func (Answered) eventType() string            { return "Answered" }
func (Waiting) eventType() string             { return "Waiting" }
func (Held) eventType() string                { return "Held" }
func (Released) eventType() string            { return "Released" }
func (Expired) eventType() string             { return "Expired" }
func (Refused) eventType() string             { return "Refused" }
func (Withdrawn) eventType() string           { return "Withdrawn" }
func (MailRead) eventType() string            { return "MailRead" }
func (MailArchived) eventType() string        { return "MailArchived" }
func (PermissionAsked) eventType() string     { return "PermissionAsked" }
func (PermissionAnswered) eventType() string  { return "PermissionAnswered" }
func (PermissionMoved) eventType() string     { return "PermissionMoved" }
func (PermissionClosed) eventType() string    { return "PermissionClosed" }
func (ToolDenied) eventType() string          { return "ToolDenied" }
func (RuleAdded) eventType() string           { return "RuleAdded" }
func (RuleRemoved) eventType() string         { return "RuleRemoved" }
func (SessionStarted) eventType() string      { return "SessionStarted" }
func (SessionStateChanged) eventType() string { return "SessionStateChanged" }
func (SessionEnded) eventType() string        { return "SessionEnded" }
func (RouteProven) eventType() string         { return "RouteProven" }
func (RouteLost) eventType() string           { return "RouteLost" }
func (AccessRefused) eventType() string       { return "AccessRefused" }
func (ConfigTrusted) eventType() string       { return "ConfigTrusted" }
func (ApproversSet) eventType() string        { return "ApproversSet" }
func (SaidOutside) eventType() string         { return "SaidOutside" }

// bodies reads each type of event.
var bodies = map[string]func([]byte) (Body, error){
	"PeerJoined":          read[PeerJoined],
	"PeerLeft":            read[PeerLeft],
	"PeerRenamed":         read[PeerRenamed],
	"RoomCreated":         read[RoomCreated],
	"RoomJoined":          read[RoomJoined],
	"RoomLeft":            read[RoomLeft],
	"RoomArchived":        read[RoomArchived],
	"Posted":              read[Posted],
	"Offered":             read[Offered],
	"Seen":                read[Seen],
	"Answered":            read[Answered],
	"Waiting":             read[Waiting],
	"Held":                read[Held],
	"Released":            read[Released],
	"Expired":             read[Expired],
	"Refused":             read[Refused],
	"Withdrawn":           read[Withdrawn],
	"MailRead":            read[MailRead],
	"MailArchived":        read[MailArchived],
	"PermissionAsked":     read[PermissionAsked],
	"PermissionAnswered":  read[PermissionAnswered],
	"PermissionMoved":     read[PermissionMoved],
	"PermissionClosed":    read[PermissionClosed],
	"ToolDenied":          read[ToolDenied],
	"RuleAdded":           read[RuleAdded],
	"RuleRemoved":         read[RuleRemoved],
	"SessionStarted":      read[SessionStarted],
	"SessionStateChanged": read[SessionStateChanged],
	"SessionEnded":        read[SessionEnded],
	"RouteProven":         read[RouteProven],
	"RouteLost":           read[RouteLost],
	"AccessRefused":       read[AccessRefused],
	"ConfigTrusted":       read[ConfigTrusted],
	"ApproversSet":        read[ApproversSet],
	"SaidOutside":         read[SaidOutside],
}
