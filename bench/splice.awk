# SPDX-License-Identifier: Apache-2.0
# awk -v mark=LINE -v text=FILE -f splice.awk PAGE: the page with FILE between
# the line `mark` and the next "<!-- end -->".
$0 == "<!-- end -->" { skipping = 0 }
!skipping
$0 == mark {
    print ""
    while ((getline line < text) > 0) print line
    print ""
    skipping = 1
}
