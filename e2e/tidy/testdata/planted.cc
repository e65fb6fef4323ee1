// What clang-tidy has to find, when it comes by way of another file.
namespace muster::planted {

int Sign(int value) {
  if (value < 0) {
    return -1;
  } else {
    return 1;
  }
}

}  // namespace muster::planted
