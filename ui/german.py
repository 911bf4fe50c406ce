"""The texts of the user interface in German, by the English ones. tests/blender says which are missing."""

from __future__ import annotations

GERMAN: dict[str, str] = {
    # Drags
    "Linkpose Drag": "Linkpose: Ziehen",
    "Drag the link or bone under the pointer; the chain above it follows within its joints' limits": (
        "Das Glied oder den Knochen unter dem Zeiger ziehen; die Kette darüber folgt innerhalb ihrer Gelenkgrenzen"
    ),
    "Armature": "Armatur",
    "Armature object that is posed": "Armatur-Objekt, das posiert wird",
    "Body": "Körper",
    "Link or bone that is dragged": "Glied oder Knochen, der gezogen wird",
    "Target": "Ziel",
    "Where the handle goes, in world space": "Wohin der Griff soll, im Weltraum",
    "Where the handle is to go, in world space": "Wohin der Griff soll, im Weltraum",
    "Method": "Verfahren",
    "How it is solved": "Wie gelöst wird",
    "Chain Length": "Kettenlänge",
    "How many bodies from the dragged one up may move; 0 = by the rule": (
        "Wie viele Körper vom gezogenen aufwärts sich bewegen dürfen; 0 = nach der Regel"
    ),
    "Confirm on Release": "Beim Loslassen bestätigen",
    "Confirm when the mouse button is released": "Bestätigen, sobald die Maustaste losgelassen wird",
    "A drag is still running: confirm or cancel it first": ("Es wird noch gezogen: erst bestätigen oder abbrechen"),
    "An animation is playing: stop it, then drag": "Eine Animation läuft: erst anhalten, dann ziehen",
    "The pointer is not over a 3D view": "Der Zeiger ist über keiner 3D-Ansicht",
    "Drag cancelled: its 3D view is gone": "Ziehen abgebrochen: seine 3D-Ansicht ist weg",
    "Point at a link or bone and press {key} to drag it.": (
        "Auf ein Glied oder einen Knochen zeigen und zum Ziehen {key} drücken."
    ),
    "{length} from the target": "{length} vom Ziel entfernt",
    "Not keyed: {reason}": "Ohne Keyframe: {reason}",
    # Status bar and header of a drag
    "{length} out of reach": "{length} außer Reichweite",
    "{length} to go": "noch {length}",
    "{length} and {angle} to go": "noch {length} und {angle}",
    "{angle} to turn": "noch {angle} zu drehen",
    "{body} {length} off its pin": "{body} {length} neben seiner Fixierung",
    "Out of reach": "Außer Reichweite",
    "Stalled": "Kommt nicht weiter",
    "stalled": "kommt nicht weiter",
    "Space searches from elsewhere": "Leertaste sucht von anderswo",
    "on the target": "am Ziel",
    "Result Of": "Ergebnis von",
    "Armature and bone that it was solved for": "Armatur und Knochen, für die gelöst wurde",
    "On the target": "Am Ziel",
    "X-Mirror": "X-Spiegelung",
    "(chain of {count})": "(Kette aus {count})",
    "{one} touches {other}": "{one} berührt {other}",
    "and {count} more": "und {count} weitere",
    "and {count} more at limits": "und {count} weitere an Grenzen",
    "{count} more at limits": "{count} weitere an Grenzen",
    "orientation held": "Ausrichtung gehalten",
    "pinned: {names}": "fixiert: {names}",
    "Move": "Bewegen",
    "Turn": "Drehen",
    "about {axis}": "um {axis}",
    "upper": "obere",
    "lower": "untere",
    "{joint} at {value} ({end})": "{joint} bei {value} ({end})",
    "{body}: {count} joints": "{body}: {count} Gelenke",
    "Esc, RMB": "Esc, RMT",
    "Cancel": "Abbrechen",
    "MMB": "MMT",
    "Navigate": "Navigieren",
    "X Y Z, Wheel": "X Y Z, Mausrad",
    "Axis": "Achse",
    "Axis, Shift: Plane": "Achse, Umschalt: Ebene",
    "Wheel": "Mausrad",
    "Depth": "Tiefe",
    "Ctrl-Wheel": "Strg-Mausrad",
    "Release": "Loslassen",
    "Confirm": "Bestätigen",
    "Enter, LMB": "Eingabe, LMT",
    "Backspace": "Rücktaste",
    "Delete": "Löschen",
    "Shift": "Umschalt",
    "Precise": "Genau",
    "Ctrl": "Strg",
    "Steps": "Schritte",
    "Pointer Alone": "Nur Zeiger",
    "Hold Orientation": "Ausrichtung halten",
    "Free Orientation": "Ausrichtung freigeben",
    "Handle": "Griff",
    "Next Axis": "Nächste Achse",
    "Angle": "Winkel",
    "Distance": "Abstand",
    "Space": "Leertaste",
    "Search Elsewhere": "Anderswo suchen",
    # The tool
    "Drag any bone or robot link; the chain above it follows within its limits.\n"
    "Press and move to pose, double-click to drag without holding the button": (
        "Einen Knochen oder ein Roboterglied ziehen; die Kette darüber folgt innerhalb ihrer Grenzen.\n"
        "Drücken und bewegen posiert, ein Doppelklick zieht ohne gehaltene Taste"
    ),
    "Watch Pointer": "Zeiger beobachten",
    "Look whether the pointer has left the view in which the tool shows something": (
        "Nachsehen, ob der Zeiger die Ansicht verlassen hat, in der das Werkzeug etwas zeigt"
    ),
    # Import
    "Import URDF": "URDF importieren",
    "Import URDF…": "URDF importieren …",
    "Robot (.urdf, .xacro)": "Roboter (.urdf, .xacro)",
    "Import a robot from a URDF file as an armature with its visuals": (
        "Einen Roboter aus einer URDF-Datei als Armatur mit seinen Formen importieren"
    ),
    "Begin at once, without asking for options": "Sofort beginnen, ohne nach Optionen zu fragen",
    "Collision Shapes": "Kollisionsformen",
    "Also import the shapes used for collisions, in a hidden collection": (
        "Auch die Formen für Kollisionen importieren, in einer ausgeblendeten Sammlung"
    ),
    "Free Base": "Freie Basis",
    "Let the robot's root move and turn freely, as that of a walking or flying robot": (
        "Die Wurzel des Roboters sich frei bewegen und drehen lassen, wie bei einem laufenden oder fliegenden"
    ),
    "Obey DAE Up Axis": "Hochachse von DAE beachten",
    "Turn what DAE files call up to Z. RViz does not, and most robots are made to look right there": (
        "Was DAE-Dateien oben nennen, nach Z drehen. RViz tut das nicht, und die meisten Roboter sind dafür gemacht"
    ),
    "Packages": "Pakete",
    "Folders in which package:// names are looked for first, separated by semicolons. "
    "Those of the preferences come after them": (
        "Ordner, in denen package://-Namen zuerst gesucht werden, durch Semikolons getrennt. "
        "Die der Einstellungen kommen danach"
    ),
    "Arguments": "Argumente",
    "Values for the arguments of a xacro file, as in: name:=value other:=value": (
        "Werte für die Argumente einer xacro-Datei, wie in: name:=wert anderer:=wert"
    ),
    "Ask whether the code of a xacro file may run": "Fragen, ob der Code einer xacro-Datei laufen darf",
    "Run the code of a xacro file without asking": "Den Code einer xacro-Datei ohne Frage ausführen",
    "Imported Robot": "Importierter Roboter",
    "Reload": "Neu laden",
    "Reload URDF": "URDF neu laden",
    "Read the robot's file again. Pose, keys, what was added, and materials that were changed stay as they are": (
        "Die Datei des Roboters erneut lesen. Pose, Keyframes, Hinzugefügtes und geänderte Materialien bleiben"
    ),
    "Copy Report": "Bericht kopieren",
    "Copy what was said about the import of the active robot": (
        "Kopieren, was zum Import des aktiven Roboters gesagt wurde"
    ),
    "Report copied": "Bericht kopiert",
    "No warnings": "Keine Warnungen",
    "Warnings: {count}": "Warnungen: {count}",
    "{count} more: Copy Report has all": "{count} weitere: alle in „Bericht kopieren“",
    # Joints
    "Joints": "Gelenke",
    "Which joints are shown": "Welche Gelenke gezeigt werden",
    "Robot": "Roboter",
    "All joints of the robot": "Alle Gelenke des Roboters",
    "Chain": "Kette",
    "The joints that a drag of the active link or bone would move": (
        "Die Gelenke, die ein Ziehen des aktiven Glieds oder Knochens bewegen würde"
    ),
    "Joint": "Gelenk",
    "Value of the joint, within its limits": "Wert des Gelenks, innerhalb seiner Grenzen",
    "Choose a bone": "Einen Knochen wählen",
    "Reading…": "Wird gelesen …",
    "Reset": "Zurücksetzen",
    "Set the shown joints to 0, or as near to that as their limits let them be": (
        "Die gezeigten Gelenke auf 0 setzen, oder so nahe daran, wie ihre Grenzen es lassen"
    ),
    "Randomize": "Zufällig",
    "Set the shown joints to random values within their limits": (
        "Die gezeigten Gelenke auf zufällige Werte innerhalb ihrer Grenzen setzen"
    ),
    "Seed": "Startwert",
    "Equal seeds give equal poses": "Gleiche Startwerte geben gleiche Posen",
    "Amount": "Menge",
    "How far to go from the present pose towards the random one": "Wie weit von der jetzigen Pose zur zufälligen",
    "Copy Pose": "Pose kopieren",
    "Copy the values of all joints to the clipboard, as JSON: radians and metres by joint name": (
        "Die Werte aller Gelenke in die Zwischenablage kopieren, als JSON: Radiant und Meter nach Gelenknamen"
    ),
    "{count} joint values copied": "{count} Gelenkwerte kopiert",
    "Paste Pose": "Pose einfügen",
    "Set the joints that the clipboard names, in JSON; the others stay": (
        "Die Gelenke setzen, die die Zwischenablage nennt, in JSON; die anderen bleiben"
    ),
    "{count} joint values pasted": "{count} Gelenkwerte eingefügt",
    "Nothing pasted: {reason}": "Nichts eingefügt: {reason}",
    "Posed, but not keyed: {reason}": "Posiert, aber ohne Keyframe: {reason}",
    "Insert Keys": "Keys setzen",
    "Insert Joint Keys": "Keyframes der Gelenke einfügen",
    "Key all the shown joints at the current frame": "Alle gezeigten Gelenke am aktuellen Bild mit Keyframes versehen",
    "{count} channels keyed": "{count} Kanäle mit Keyframes versehen",
    "Delete Keys": "Keys löschen",
    "Delete Joint Keys": "Keyframes der Gelenke löschen",
    "Delete the keys of all the shown joints at the current frame": (
        "Die Keyframes aller gezeigten Gelenke am aktuellen Bild löschen"
    ),
    "{count} keys deleted": "{count} Keyframes gelöscht",
    "These joints have no keys at this frame": "Diese Gelenke haben an diesem Bild keine Keyframes",
    "Toggle Joint Key": "Keyframe des Gelenks umschalten",
    "Key this joint at the current frame, or delete its key there": (
        "Dieses Gelenk am aktuellen Bild mit einem Keyframe versehen, oder den dort löschen"
    ),
    # Target, pins, tool frames
    "Take Target": "Ziel übernehmen",
    "Take the target from where the active link or bone is now": (
        "Das Ziel dort nehmen, wo das aktive Glied oder der Knochen jetzt ist"
    ),
    "Solve": "Lösen",
    "Bring the active link or bone to the target, within the limits of its joints": (
        "Das aktive Glied oder den Knochen ans Ziel bringen, innerhalb seiner Gelenkgrenzen"
    ),
    "Bone": "Knochen",
    "Link or bone that is brought there": "Glied oder Knochen, der dorthin gebracht wird",
    "Orientation": "Ausrichtung",
    "Also turn the body to a given rotation": "Den Körper auch in eine gegebene Rotation drehen",
    "Rotation": "Rotation",
    "How the body is to be turned, in world space": "Wie der Körper gedreht sein soll, im Weltraum",
    "Result": "Ergebnis",
    "What became of the last Solve": "Was beim letzten Lösen herauskam",
    "Reached": "Erreicht",
    "Whether the last Solve reached its target": "Ob das letzte Lösen sein Ziel erreicht hat",
    "Pins": "Fixierungen",
    "Pin": "Fixierung",
    "What stays of this bone or link while another is dragged": (
        "Was an diesem Knochen oder Glied bleibt, während ein anderer gezogen wird"
    ),
    "Free": "Frei",
    "Nothing holds it": "Nichts hält ihn",
    "Place": "Ort",
    "It stays where it is and may turn": "Er bleibt, wo er ist, und darf sich drehen",
    "Fully": "Ganz",
    "It stays where it is and does not turn": "Er bleibt, wo er ist, und dreht sich nicht",
    "Pin Active": "Aktiven fixieren",
    "Pin the active link or bone: it stays where it is while others are dragged": (
        "Das aktive Glied oder den Knochen fixieren: er bleibt, wo er ist, während andere gezogen werden"
    ),
    "Unpin": "Losmachen",
    "Let this link or bone move again": "Dieses Glied oder diesen Knochen sich wieder bewegen lassen",
    "Choose Link": "Glied wählen",
    "Make this link the active one, for the sliders, the target and pins": (
        "Dieses Glied zum aktiven machen, für die Schieber, das Ziel und die Fixierungen"
    ),
    "Tool Frame": "Werkzeugrahmen",
    "Tool Frames": "Werkzeugrahmen",
    "The chosen line of the list": "Die gewählte Zeile der Liste",
    # Collisions
    "Collisions": "Kollisionen",
    "Mark Obstacles": "Hindernisse markieren",
    "Mark Selected": "Ausgewählte markieren",
    "Clear": "Leeren",
    "Take the marks off instead": "Die Markierungen stattdessen entfernen",
    "Tell during drags when a link touches one of the selected objects": (
        "Beim Ziehen sagen, wenn ein Glied eines der ausgewählten Objekte berührt"
    ),
    "No obstacles": "Keine Hindernisse",
    "Linkpose Obstacle": "Linkpose-Hindernis",
    "Drags tell when a link touches this object": "Beim Ziehen wird gesagt, wenn ein Glied dieses Objekt berührt",
    "Look for links that touch each other or an obstacle, tint them and name them": (
        "Glieder suchen, die einander oder ein Hindernis berühren, sie färben und nennen"
    ),
    # The active bone and its chain
    "Active Bone": "Aktiver Knochen",
    "Joints of the Chain": "Gelenke der Kette",
    "stiffness {value}": "Steifheit {value}",
    "Anchor": "Anker",
    "Whether the chains of the bones below stop at this bone": (
        "Ob die Ketten der Knochen darunter an diesem Knochen enden"
    ),
    "Branch": "Verzweigung",
    "Whether this bone, with all below it, counts as a branch of its parent": (
        "Ob dieser Knochen mit allem darunter als Verzweigung seines Elternknochens zählt"
    ),
    "By the Rule": "Nach der Regel",
    "Chains stop here where the armature branches, and at the foot of a toe": (
        "Ketten enden hier, wo die Armatur sich verzweigt, und am Fuß einer Zehe"
    ),
    "The chains of bones below stop here: this bone stays": (
        "Die Ketten der Knochen darunter enden hier: dieser Knochen bleibt"
    ),
    "A toe below takes the leg along": "Eine Zehe darunter nimmt das Bein mit",
    "Helpers such as twist bones are no branches": "Helfer wie Verdrehknochen sind keine Verzweigungen",
    "The parent branches here, also where this bone looks like a helper": (
        "Der Elternknochen verzweigt sich hier, auch wo dieser Knochen wie ein Helfer aussieht"
    ),
    "Chains go through the parent as if this bone were not there": (
        "Ketten gehen durch den Elternknochen, als wäre dieser Knochen nicht da"
    ),
    # Preferences
    "How a drag is solved": "Wie ein Ziehen gelöst wird",
    "Automatic": "Automatisch",
    "Least squares within the limits; the fastest and most exact": (
        "Kleinste Quadrate innerhalb der Grenzen; am schnellsten und genauesten"
    ),
    "Cyclic coordinate descent: one joint after the other, from the hand to the base": (
        "Zyklischer Koordinatenabstieg: ein Gelenk nach dem anderen, von der Hand zur Basis"
    ),
    "Forward and backward reaching on the joints' real axes": (
        "Vor- und rückwärts greifend, auf den wirklichen Achsen der Gelenke"
    ),
    "Key": "Keyframes",
    "Which joints a confirmed drag keys": "Welche Gelenke ein bestätigtes Ziehen mit Keyframes versieht",
    "Every joint between the dragged body and its anchor, so that no later drag moves this pose": (
        "Jedes Gelenk zwischen dem gezogenen Körper und seinem Anker, damit kein späteres Ziehen diese Pose ändert"
    ),
    "Moved Joints": "Bewegte Gelenke",
    "Only the joints that the drag has moved": "Nur die Gelenke, die bewegt wurden",
    "Everything": "Alles",
    "Every joint of the armature": "Jedes Gelenk der Armatur",
    "When": "Wann",
    "Whether a confirmed drag is keyed": "Ob ein bestätigtes Ziehen Keyframes bekommt",
    "Always": "Immer",
    "A confirmed drag is keyed": "Ein bestätigtes Ziehen bekommt Keyframes",
    "Follow Auto Keying": "Wie Auto-Keying",
    "A confirmed drag is keyed while the scene's Auto Keying is on": (
        "Ein bestätigtes Ziehen bekommt Keyframes, solange das Auto-Keying der Szene an ist"
    ),
    "Never": "Nie",
    "A confirmed drag is not keyed": "Ein bestätigtes Ziehen bekommt keine Keyframes",
    "Drag Controls": "Steuerknochen ziehen",
    "Drag the control of a bone that constraints hold, instead of refusing and naming it": (
        "Den Steuerknochen eines durch Constraints gehaltenen Knochens ziehen, statt ihn nur zu nennen"
    ),
    "Show in Drags": "Beim Ziehen zeigen",
    "The line from joint to joint": "Die Linie von Gelenk zu Gelenk",
    "Joint Ranges": "Gelenkbereiche",
    "Each joint's axis, range and present place in it": "Achse, Bereich und jetziger Stand jedes Gelenks",
    "All Joint Values": "Alle Gelenkwerte",
    "The numbers of all joints, and not only of those at limits or near the handle": (
        "Die Zahlen aller Gelenke, nicht nur derer an Grenzen oder nahe am Griff"
    ),
    "Start Pose": "Anfangspose",
    "Where the chain and its links were when the drag began": (
        "Wo die Kette und ihre Glieder waren, als das Ziehen begann"
    ),
    "Reach": "Reichweite",
    "How far the chain reaches, while the target is farther away": (
        "Wie weit die Kette reicht, solange das Ziel weiter weg ist"
    ),
    "Tool": "Werkzeug",
    "Preview": "Vorschau",
    "While the tool is active, show what would be dragged under the pointer, and its chain": (
        "Bei aktivem Werkzeug zeigen, was unter dem Zeiger gezogen würde, und seine Kette"
    ),
    "While the tool is active, show links without a mesh as small crosses that can be dragged": (
        "Bei aktivem Werkzeug Glieder ohne Mesh als kleine Kreuze zeigen, die sich ziehen lassen"
    ),
    "Keys": "Tasten",
    "Package Folders": "Paketordner",
    "Folder": "Ordner",
    "A ROS package, or a folder that holds some": "Ein ROS-Paket, oder ein Ordner mit solchen",
    "Add Folder": "Ordner hinzufügen",
    "Add Package Folder": "Paketordner hinzufügen",
    "Add a folder in which package:// names of robots are looked for": (
        "Einen Ordner hinzufügen, in dem package://-Namen von Robotern gesucht werden"
    ),
    "Remove Package Folder": "Paketordner entfernen",
    "Take a folder from the list; the folder itself stays": "Einen Ordner aus der Liste nehmen; er selbst bleibt",
}
