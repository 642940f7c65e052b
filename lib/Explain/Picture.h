//===- Picture.h - Shapes of one SVG picture --------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Looks are classes of the page's style sheet; shapes say what they are, not
// how they look. Texts are escaped here.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EXPLAIN_PICTURE_H
#define TC_LIB_EXPLAIN_PICTURE_H

#include <string>
#include <string_view>
#include <vector>

namespace tc::explain {

/// In units of the picture, which are pixels where it is shown full size.
struct Point {
  double x = 0, y = 0;
};

struct Box {
  double x = 0, y = 0, width = 0, height = 0;
};

enum class Anchor { Start, Middle, End };

/// All pictures have this width, chosen such that their letters can be read on
/// a telephone and are not too large on a desk.
inline constexpr double pictureWidth = 400;

/// Width of a letter of the pictures' monospaced text, and of their other text
/// at most.
inline constexpr double letterWidth = 7.5;

/// Pixels that a text takes at most.
double widthOf(std::string_view text);

class Picture {
public:
  /// Title and description are for those who cannot see it; `id` must be
  /// unique on the page.
  Picture(std::string_view id, std::string_view title,
          std::string_view description);

  /// A hint, if there is one, is shown on hovering.
  void box(const Box &box, std::string_view look, std::string_view hint = {});
  void line(Point from, Point to, std::string_view look);
  void lines(const std::vector<Point> &points, std::string_view look);
  void circle(Point center, double radius, std::string_view look,
              std::string_view hint = {});
  void text(Point at, std::string_view text, std::string_view look,
            Anchor anchor = Anchor::Middle);
  /// The same, centred at the point and turned clockwise by so many degrees.
  void turnedText(Point at, double degrees, std::string_view text,
                  std::string_view look);

  /// The whole element, of that height.
  std::string finish(double height) const;

private:
  void add(const std::string &element, std::string_view look,
           std::string_view content);

  std::string id, title, description, shapes;
};

} // namespace tc::explain

#endif // TC_LIB_EXPLAIN_PICTURE_H
