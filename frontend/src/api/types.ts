/** Short names for the generated types (`npm run generate`). Instants are ISO texts in UTC. */

import type { components } from "./schema";

type Schemas = components["schemas"];

export type Session = Schemas["Session"];
export type Workspace = Schemas["WorkspaceRole"];
export type Role = Schemas["Role"];
export type Right = Workspace["rights"][number];
export type Member = Schemas["Member"];
export type AuditEvent = Schemas["AuditEvent"];
export type LogLine = Schemas["LogLine"];
export type LogPage = Schemas["LogPage"];
export type LoggedRun = Schemas["LoggedRun"];
export type EventAction = Schemas["EventAction"];
export type EventKind = Schemas["EventKind"];
export type OpenInvitation = Schemas["OpenInvitation"];
export type Invitation = Schemas["Invitation"];
export type Token = Schemas["Token"];

export type RecordFormat = Schemas["FormatEnum"];

export type Problem = Schemas["Problem"];
export type SchemaField = Schemas["SchemaField"];
export type CheckedNode = Schemas["Node"];
export type CheckResult = Schemas["Check"];
export type Preview = Schemas["Preview"];
export type WaitingPreview = Schemas["WaitingPreview"];
export type PreviewStep = Schemas["PreviewStep"];
export type PreviewSource = Schemas["PreviewSource"];
export type PreviewRow = Schemas["PreviewRow"];
export type SourceChoice = Schemas["SourceChoiceRequest"];
export type StateForecast = Schemas["StateForecast"];
export type MeasuredLoad = Schemas["MeasuredLoad"];
export type ModeDecision = Schemas["Mode"];
export type Mode = Schemas["RunMode"];

export type Job = Schemas["Job"];
export type TestBatchOutcome = Schemas["BatchOutcome"];
export type DrawingMoves = Schemas["MovesRequest"];
export type JobSummary = Schemas["JobSummary"];
export type LagHealth = Schemas["LagHealth"];
export type Observed = Schemas["ObservedEnum"];
export type Failure = Schemas["Failure"];
export type LagSummary = Schemas["LagTotals"];
export type ResultShape = Schemas["ResultShape"];
export type Run = Schemas["Execution"];
export type Change = Schemas["Change"];
export type Version = Schemas["Version"];
export type JobTestSummary = Schemas["JobTestSummary"];
export type JobTestRun = Schemas["JobTestRun"];
export type TestOutcome = Schemas["TestOutcome"];
export type TestDifference = Schemas["Difference"];
export type RowInputs = Schemas["RowInputs"];
export type RowSource = Schemas["RowSource"];
export type JobDiff = Schemas["Diff"];
export type PartitionLag = Schemas["PartitionLag"];
export type SourceLag = Schemas["SourceLag"];
export type JobLag = Schemas["Lag"];
export type StreamProfile = Schemas["StreamProfile"];
export type FieldProfile = Schemas["FieldProfile"];
export type Lateness = Schemas["Lateness"];
export type RunCounts = Schemas["RunCounts"];
export type Diagnosis = Schemas["Diagnosis"];
export type DiagnosisFact = Schemas["Fact"];
export type CheckedPlace = Schemas["CheckedPlace"];
export type JobHistory = Schemas["JobHistory"];
export type ObjectiveHistory = Schemas["ObjectiveHistory"];
export type Mark = Schemas["Mark"];

export type ConsumerGroup = Omit<Schemas["ListedGroup"], "trend">;
export type ListedGroup = Schemas["ListedGroup"];
export type GroupDetail = Schemas["GroupDetail"];
export type GroupPartition = Schemas["PartitionOfGroup"];
export type GroupMember = Schemas["GroupMember"];
export type GroupHistory = Schemas["GroupHistory"];
export type GroupHealth = Schemas["GroupHealth"];
export type GroupWatch = Schemas["Watch"];
export type OffsetMove = Schemas["MoveRequestRequest"];
export type MovePlan = Schemas["MovePlan"];
export type MoveTarget = OffsetMove["target"];

export type Stream = Schemas["Stream"];
export type Contract = Schemas["Contract"];
export type EventTime = Schemas["EventTime"];
export type TimeField = Schemas["TimeField"];
export type TimeUnit = Schemas["UnitEnum"];
export type Inference = Schemas["Inference"];
export type SubjectRow = Schemas["SubjectRow"];
export type Subject = Schemas["Subject"];
export type RegisteredSchema = Schemas["RegisteredSchema"];
export type SchemaCheck = Schemas["SchemaCheck"];
export type JobImpact = Schemas["JobImpact"];
export type Policy = Schemas["PolicyRequest"];
export type SchemaReference = Schemas["ReferenceRequest"];
export type SchemaDraft = Schemas["OfferedSchemaRequest"];
export type NewVersion = Schemas["NewSchemaVersionRequest"];
export type TableEntry = Schemas["TableEntry"];
export type TablePage = Schemas["TablePage"];
export type FieldHint = Schemas["FieldHint"];
export type Scan = Schemas["Scan"];
export type StreamRecord = Schemas["Record"];
export type RecordDetail = Schemas["RecordDetail"];
export type Topic = Schemas["Topic"];
export type TopicDetail = Schemas["TopicDetail"];
export type TopicSettings = Schemas["Settings"];
export type NewRecord = Schemas["RecordOrLineRequest"];
/**
 * The contract is free-form in the API document, because its own model checks it; here it has the form's
 * type.
 */
export type NewStream = Omit<Schemas["NewStreamRequest"], "contract"> & { contract: Contract };

export type Validation = Schemas["Validation"];
export type DeadLetter = Schemas["DeadLetter"];
export type DeadLetterDetail = Schemas["DeadLetterDetail"];
export type DeadLetterGroup = Schemas["DeadLetterGroup"];
export type Redrive = Schemas["Redrive"];
export type NewRedrive = Schemas["NewRedriveRequest"];
export type EditOperation = Schemas["EditOperationRequest"];
export type EditedSelection = Schemas["EditSelectionRequest"];
export type EditedSample = Schemas["EditedSample"];

export type Engine = Schemas["Engine"];
export type Broker = Schemas["Broker"];
export type Cluster = Schemas["Cluster"];
export type Connection = Omit<Schemas["NewClusterRequest"], "name">;
export type ChangedCluster = Schemas["ChangedClusterRequest"];
export type ConnectionTest = Schemas["ConnectionTest"];
export type WorkspaceEvent = Schemas["Event"];
export type Overview = Schemas["Overview"];
export type WorkspaceMap = Schemas["Map"];
export type MapNode = Schemas["MapNode"];
export type MapEdge = Schemas["MapEdge"];
export type StartOptions = Schemas["StartOptions"];
export type StartRequest = Schemas["StartRequest"];

export type Alert = Schemas["Alert"];
export type AlertSeverity = Schemas["AlertSeverity"];
export type AlertRule = Schemas["Rule"];
export type AlertRuleDocument = Schemas["AlertRuleDocument"];
export type AlertRuleCheck = Schemas["RuleCheckResult"];
export type AlertMetric = Schemas["Metric"];
export type AlertChannel = Schemas["Channel"];
export type AlertChannelKind = Schemas["AlertChannelKind"];
export type Notification = Schemas["Notification"];
export type Silence = Schemas["Silence"];
export type Objective = Schemas["Objective"];
export type ObjectiveKind = Schemas["ObjectiveKind"];

export type LineageReceiver = Schemas["LineageReceiver"];
export type LineageReceiverChange = Schemas["LineageReceiverChangeRequest"];
export type LineageEvent = Schemas["LineageEvent"];
export type LineageEventState = Schemas["LineageEventState"];
export type LineageEventType = Schemas["LineageEventType"];

export type DashboardSummary = Schemas["DashboardSummary"];
export type Dashboard = Schemas["Dashboard"];
export type DashboardDocument = Schemas["DashboardDocument"];
export type SharedDashboard = Schemas["SharedDashboard"];
export type Panel = DashboardDocument["panels"][number];
export type PanelKind = Panel["kind"];
export type PanelOf<K extends PanelKind> = Extract<Panel, { kind: K }>;
export type TimeSeriesPanel = Extract<Panel, { y: string[] }>;
export type Aggregation = TimeSeriesPanel["aggregation"];
export type Threshold = TimeSeriesPanel["thresholds"][number];
export type FieldFilter = DashboardDocument["filters"][number];
export type LiveOutput = Schemas["LiveOutput"];
export type ShareLink = Schemas["ShareLink"];
