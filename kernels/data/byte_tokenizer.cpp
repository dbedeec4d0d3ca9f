#include "kernels/data/tokenizer.hpp"

namespace shardsim::kernels {
namespace {

class ByteTokenizer final : public Tokenizer {
 public:
  [[nodiscard]] Tokens encode(std::string_view text) const override {
    Tokens tokens;
    tokens.reserve(text.size());
    for (const char c : text) tokens.push_back(static_cast<unsigned char>(c));
    return tokens;
  }
  [[nodiscard]] std::int64_t size() const override { return 260; }
  [[nodiscard]] const SpecialTokens& special() const override { return special_; }
  [[nodiscard]] std::string name() const override { return "bytes"; }

 private:
  SpecialTokens special_{256, 257, 258, 259, -1};
};

}  // namespace

std::unique_ptr<Tokenizer> make_byte_tokenizer() { return std::make_unique<ByteTokenizer>(); }

}  // namespace shardsim::kernels
