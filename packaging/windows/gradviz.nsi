; The installer for Windows, for one user and without an administrator:
;   makensis -DVERSION=0.1.0 -DFOLDER=path\to\frozen\gradviz -DICON=gradviz.ico -DOUT=gradviz-setup.exe gradviz.nsi
; gradviz-setup.exe /S               installs without a question; /D=C:\folder, the last argument, chooses the place
; "%LOCALAPPDATA%\Programs\GradViz\uninstall.exe" /S       removes it; settings stay
; For all computers of a lab, run it with /S in the logon script of the pupils, or unpack the folder on a share.

Unicode true
SetCompressor /SOLID lzma
!include "MUI2.nsh"
!include "FileFunc.nsh"
!include "x64.nsh"

!define UNINSTALL "Software\Microsoft\Windows\CurrentVersion\Uninstall\GradViz"
!define CLASSES "Software\Classes"

Name "GradViz"
OutFile "${OUT}"
RequestExecutionLevel user
InstallDir "$LOCALAPPDATA\Programs\GradViz"
InstallDirRegKey HKCU "${UNINSTALL}" "InstallLocation"
VIProductVersion "${VERSION}.0"
VIAddVersionKey "ProductName" "GradViz"
VIAddVersionKey "ProductVersion" "${VERSION}"
VIAddVersionKey "FileVersion" "${VERSION}"
VIAddVersionKey "FileDescription" "Installer of GradViz"
VIAddVersionKey "LegalCopyright" "MIT licence"
!define MUI_ICON "${ICON}"
!define MUI_UNICON "${ICON}"
!define MUI_FINISHPAGE_RUN "$INSTDIR\gradviz.exe"

!insertmacro MUI_PAGE_WELCOME
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_PAGE_FINISH
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE "English"

Function .onInit
    ${IfNot} ${RunningX64}
        MessageBox MB_OK|MB_ICONSTOP "GradViz needs a 64-bit Windows." /SD IDOK
        SetErrorLevel 2
        Quit
    ${EndIf}
FunctionEnd

; What a version put there is removed before another comes, so that none of its files stays behind. Nothing else in
; the folder is touched: it may be one that the user chose.
!macro REMOVE_PROGRAM
    Delete "$INSTDIR\gradviz.exe"
    Delete "$INSTDIR\gradviz-worker.exe"
    RMDir /r "$INSTDIR\_internal"
!macroend

Section "GradViz"
    !insertmacro REMOVE_PROGRAM
    ${If} ${FileExists} "$INSTDIR\gradviz.exe"
        MessageBox MB_OK|MB_ICONSTOP "GradViz is running. Close it and install again." /SD IDOK
        SetErrorLevel 3
        Quit
    ${EndIf}
    SetOutPath "$INSTDIR"
    File /r "${FOLDER}\*"
    File "/oname=gradviz.ico" "${ICON}"
    WriteUninstaller "$INSTDIR\uninstall.exe"
    CreateShortcut "$SMPROGRAMS\GradViz.lnk" "$INSTDIR\gradviz.exe" "" "$INSTDIR\gradviz.ico"

    ; .gradviz opens with GradViz; for .py it is one of the programs that "Open with" offers.
    WriteRegStr HKCU "${CLASSES}\GradViz.Document" "" "GradViz file"
    WriteRegStr HKCU "${CLASSES}\GradViz.Document\DefaultIcon" "" "$INSTDIR\gradviz.ico"
    WriteRegStr HKCU "${CLASSES}\GradViz.Document\shell\open\command" "" '"$INSTDIR\gradviz.exe" "%1"'
    WriteRegStr HKCU "${CLASSES}\.gradviz" "" "GradViz.Document"
    WriteRegStr HKCU "${CLASSES}\.gradviz" "Content Type" "application/x-gradviz+json"
    WriteRegStr HKCU "${CLASSES}\.gradviz\OpenWithProgids" "GradViz.Document" ""
    WriteRegStr HKCU "${CLASSES}\.gvtrace" "" "GradViz.Document"
    WriteRegStr HKCU "${CLASSES}\.gvlessons" "" "GradViz.Document"
    WriteRegStr HKCU "${CLASSES}\.gvtrace\OpenWithProgids" "GradViz.Document" ""
    WriteRegStr HKCU "${CLASSES}\.gvlessons\OpenWithProgids" "GradViz.Document" ""
    WriteRegStr HKCU "${CLASSES}\GradViz.Python" "" "Python file"
    WriteRegStr HKCU "${CLASSES}\GradViz.Python\shell\open\command" "" '"$INSTDIR\gradviz.exe" "%1"'
    WriteRegStr HKCU "${CLASSES}\.py\OpenWithProgids" "GradViz.Python" ""

    WriteRegStr HKCU "${UNINSTALL}" "DisplayName" "GradViz"
    WriteRegStr HKCU "${UNINSTALL}" "DisplayVersion" "${VERSION}"
    WriteRegStr HKCU "${UNINSTALL}" "Publisher" "The GradViz developers"
    WriteRegStr HKCU "${UNINSTALL}" "DisplayIcon" "$INSTDIR\gradviz.ico"
    WriteRegStr HKCU "${UNINSTALL}" "InstallLocation" "$INSTDIR"
    WriteRegStr HKCU "${UNINSTALL}" "UninstallString" '"$INSTDIR\uninstall.exe"'
    WriteRegStr HKCU "${UNINSTALL}" "QuietUninstallString" '"$INSTDIR\uninstall.exe" /S'
    WriteRegDWORD HKCU "${UNINSTALL}" "NoModify" 1
    WriteRegDWORD HKCU "${UNINSTALL}" "NoRepair" 1
    ${GetSize} "$INSTDIR" "/S=0K" $0 $1 $2
    WriteRegDWORD HKCU "${UNINSTALL}" "EstimatedSize" $0
    ${RefreshShellIcons}
SectionEnd

Section "Uninstall"
    !insertmacro REMOVE_PROGRAM
    Delete "$INSTDIR\gradviz.ico"
    Delete "$INSTDIR\uninstall.exe"
    RMDir "$INSTDIR"
    Delete "$SMPROGRAMS\GradViz.lnk"
    DeleteRegKey HKCU "${CLASSES}\GradViz.Document"
    DeleteRegKey HKCU "${CLASSES}\GradViz.Python"
    DeleteRegKey HKCU "${CLASSES}\.gradviz"
    DeleteRegKey HKCU "${CLASSES}\.gvtrace"
    DeleteRegKey HKCU "${CLASSES}\.gvlessons"
    DeleteRegValue HKCU "${CLASSES}\.py\OpenWithProgids" "GradViz.Python"
    DeleteRegKey HKCU "${UNINSTALL}"
    ${RefreshShellIcons}
SectionEnd
