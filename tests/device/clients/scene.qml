// Shapes and text of Qt Quick: gradients, rounded and rotated rectangles, translucency.
import QtQuick
import QtQuick.Window

Window {
    width: 240
    height: 180
    visible: true
    color: "#204060"

    Rectangle {
        x: 20
        y: 20
        width: 100
        height: 60
        radius: 12
        rotation: 15
        antialiasing: true
        border { width: 3; color: "white" }
        gradient: Gradient {
            GradientStop { position: 0; color: "red" }
            GradientStop { position: 1; color: "yellow" }
        }
    }
    Text { x: 20; y: 110; text: "Hello AGX"; font.pixelSize: 28; color: "white" }
    Repeater {
        model: 8
        Rectangle {
            x: 130 + 12 * index
            y: 20 + 8 * index
            width: 30
            height: 30
            opacity: 0.5
            color: Qt.hsva(index / 8, 1, 1, 1)
        }
    }
}
