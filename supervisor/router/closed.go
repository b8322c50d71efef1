package router

// The closed sets: which types are events and which are commands.

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
func (RuleAdded) eventType() string           { return "RuleAdded" }
func (RuleRemoved) eventType() string         { return "RuleRemoved" }
func (SessionStarted) eventType() string      { return "SessionStarted" }
func (SessionStateChanged) eventType() string { return "SessionStateChanged" }
func (SessionEnded) eventType() string        { return "SessionEnded" }
func (RouteProven) eventType() string         { return "RouteProven" }
func (RouteLost) eventType() string           { return "RouteLost" }
func (AccessRefused) eventType() string       { return "AccessRefused" }
func (ConfigTrusted) eventType() string       { return "ConfigTrusted" }

func (AddPeer) command()          {}
func (RemovePeer) command()       {}
func (Rename) command()           {}
func (CreateRoom) command()       {}
func (JoinRoom) command()         {}
func (LeaveRoom) command()        {}
func (Send) command()             {}
func (Respond) command()          {}
func (Offer) command()            {}
func (Unoffer) command()          {}
func (Admit) command()            {}
func (Observe) command()          {}
func (Read) command()             {}
func (Archive) command()          {}
func (Remind) command()           {}
func (Hold) command()             {}
func (Release) command()          {}
func (Withdraw) command()         {}
func (Tick) command()             {}
func (AskPermission) command()    {}
func (AnswerPermission) command() {}
func (MovePermission) command()   {}
func (ClosePermission) command()  {}
func (AddRule) command()          {}
func (RemoveRule) command()       {}
func (StartSession) command()     {}
func (SetSession) command()       {}
func (EndSession) command()       {}
func (ProveRoute) command()       {}
func (LoseRoute) command()        {}
func (RefuseAccess) command()     {}
func (TrustConfig) command()      {}
