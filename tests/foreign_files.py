"""Landmark files as other programs write them, made up after their descriptions."""

import json

AMIRA = """# AmiraMesh 3D ASCII 2.0
define Markers 2
Parameters {
    NumSets 1,
    ContentType "LandmarkSet"
}
Markers { float[3] Coordinates } @1
# Data section follows
@1
1.0 2.0 3.0
4.5e+00 5 -6
"""
PAIRED = """# Avizo 3D ASCII 3.0
define Markers 1
Parameters { NumSets 2, ContentType "LandmarkSet" }
Markers { float[3] Coordinates } @1
Markers { float[3] Coordinates2 } @2
# Data section follows
@1
1 2 3
@2
4 5 6
"""
PICKED = """<!DOCTYPE PickedPoints>
<PickedPoints>
 <DocumentData><DataFileName name="m.ply"/></DocumentData>
 <point y="2" x="1" name="tip" z="3" active="1"/>
 <point x="0" y="0" z="0" active="0" name="gone"/>
</PickedPoints>
"""
CHECKPOINT = """Version 5
Stratovan Checkpoint (TM)
[Specimen Information]
Name: x
[Landmarks]
NumberOfPoints: 3
Units: mm
0 1 N 0 1.5 2.5 3.5 0 0 0 "nasion"
1 1 M 0 0 0 0 0 0 0 "far left"
2 1 N 0 4 5 6 0 0 0 "c1"
[SinglePoints]
NumberOfSinglePoints: 2
0 0
1 1
[Curves]
NumberOfCurves: 1
0: 2 "curve one"
[Patches]
NumberOfPatches: 0
"""
FIDUCIALS = '''# Markups fiducial file version = 4.10
# CoordinateSystem = 0
# columns = id,x,y,z,ow,ox,oy,oz,vis,sel,lock,label,desc,associatedNodeID
vtkMRMLMarkupsFiducialNode_0,1.5,-2,3e0,0,0,0,1,1,1,0,"a, ""b""",Semi,
vtkMRMLMarkupsFiducialNode_1,4,5,6,0,0,0,1,1,1,0,F-2,,vtkMRMLModelNode4
'''
FIDUCIALS_5 = """# Markups fiducial file version = 5.2
# CoordinateSystem = LPS
# columns = id,x,y,z,ow,ox,oy,oz,vis,sel,lock,label,desc,associatedNodeID
1,1.5,-2,3,0,0,0,1,1,1,0,nasion,,\r,2,0
2,0,0,0,0,0,0,1,1,1,0,gone,,,3,0
3,4,5,6,0,0,0,1,1,1,0,"a, b",Semi,,2,0
"""
TPS = """LM3=2
1 2 3
4 5\t6
CURVES=1
POINTS=1
7 8 9
IMAGE=C:\\scans\\tooth 7.jpg
COMMENT=a note = b
SCALE=

lm3=1
NA NA NA
ID=two
SCALE=0.5
"""
MORPHOLOGIKA = """[Individuals]
2
[landmarks]
2
[Dimensions]
3
[Names]
first one
second
[labels]
sex
[labelvalues]
m
f
[rawpoints]
'#1
1 2 3
4 5 6

'#2

9999 9999 9999
[wireframe]
1 2
"""
NTS = """\
" a comment
1 2L 6 1 -999 DIM=3
left right
1 2 3 4 5 6
-999 -999 -999 7 8 9
"""
DTA = """\
'Landmark Editor
1 2L 6 1 9999 Dim=3

a tooth
b

1 2 3
4 5 6

1.5 2 3
9999 9999 9999
"""
LANDMARK_ROWS = "1 2L 3 0 dim=3\ntip base\n1 2 3\n4 5 6\n"
PTS = "Version 1.0\n3\nS000 1 2 3\nC000 4 5 6\nP000 9999 9999 9999\n"
SAMS = "SpecimenName,X 1,Y 1,Z 1,X 2,Y 2,Z 2\nm1,1,2,3,4,5,6\nm2,1,2,3,NA,NA,NA\n"
MORPHOJ = "Subject,sex,nasion_X,nasion_Y,nasion_Z\nm1,f,1,2,3\n"
LONG = "specimen,landmark,x,y,z,type,system\na,tip,1,2,3,Semi,RAS\na,,,,,,RAS\nb,tip,4,5,6,,LPS\n"
MARKUPS = json.dumps(
    {"@schema": "x", "markups": [{"type": "Fiducial", "coordinateSystem": "RAS", "controlPoints": [
        {"label": "a", "position": [1, 2, 3], "description": "Semi", "associatedNodeID": "n\r"},
        {"label": "b", "position": ""},
        {"label": "c", "position": [0, 0, 0], "positionStatus": "missing"}]}]}
)  # fmt: skip
FOREIGN = [
    ("a.landmarkAscii", AMIRA),
    ("a.landmarkAscii", PAIRED),
    ("a.pp", PICKED),
    ("a.ckpt", CHECKPOINT),
    ("a.fcsv", FIDUCIALS),
    ("a.fcsv", FIDUCIALS_5),
    ("a.tps", TPS),
    ("a.txt", MORPHOLOGIKA),
    ("a.nts", NTS),
    ("a.nts", LANDMARK_ROWS),
    ("a.dta", DTA),
    ("a.pts", PTS),
    ("a.csv", SAMS),
    ("a.csv", MORPHOJ),
    ("a.csv", LONG),
    ("a.mrk.json", MARKUPS),
]
