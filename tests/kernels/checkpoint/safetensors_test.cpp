#include "kernels/checkpoint/safetensors.hpp"

#include <gtest/gtest.h>

#include "kernels/checkpoint/segments.hpp"
#include "tests/support/temporary_folder.hpp"

namespace shardsim::kernels {
namespace {

/// Length of the header in 8 bytes, the header, and that many bytes of data.
std::string bytes_of(const std::string& header, std::size_t data) {
  std::string text(8, '\0');
  text[0] = static_cast<char>(header.size() & 0xFFU);
  text[1] = static_cast<char>(header.size() >> 8U);
  return text + header + std::string(data, 'x');
}

std::string refused(const std::string& bytes) {
  const test::TemporaryFolder folder;
  const std::string path = folder.file("bad.safetensors", bytes);
  const std::string why = test::refusal([&] { const SafetensorsReader reader{path}; });
  EXPECT_NE(why.find("bad.safetensors"), std::string::npos) << why;
  return why;
}

void expect_refusal(const std::string& header, std::size_t data, const std::string& part) {
  const std::string why = refused(bytes_of(header, data));
  EXPECT_NE(why.find(part), std::string::npos) << header << "\n" << why;
}

TEST(Safetensors, ReadsWhatTheSpecificationShows) {
  const test::TemporaryFolder folder;
  const std::string header =
      R"({"__metadata__":{"format":"pt"},"b":{"dtype":"BF16","shape":[],"data_offsets":[8,10]},)"
      R"("a":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]},"none":{"dtype":"I64","shape":[0,3],"data_offsets":[0,0]}})";
  const SafetensorsReader reader{folder.file("good.safetensors", bytes_of(header, 10))};
  ASSERT_EQ(reader.header().tensors.size(), 3U);
  EXPECT_EQ(reader.header().metadata.at("format"), "pt");
  const StoredTensor* a = reader.find("a");
  ASSERT_NE(a, nullptr);
  EXPECT_EQ(a->shape, (std::vector<std::int64_t>{2, 1}));
  EXPECT_EQ(a->begin, 8 + static_cast<std::int64_t>(header.size()));
  EXPECT_EQ(a->end - a->begin, 8);
  EXPECT_EQ(reader.find("b")->elements(), 1);
  EXPECT_EQ(reader.find("c"), nullptr);
}

TEST(Safetensors, RefusesBrokenLengths) {
  EXPECT_NE(refused("1234567").find("holds 7 bytes: not a safetensors file"), std::string::npos);
  EXPECT_NE(refused(std::string("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF{}")).find("its header would be 18446744073709551615"),
            std::string::npos);
  EXPECT_NE(refused(std::string("\x03\0\0\0\0\0\0\0{}", 10)).find("its header would be 3 bytes long"),
            std::string::npos);
}

TEST(Safetensors, RefusesBrokenHeaders) {
  expect_refusal("[]", 0, "not a JSON object");
  expect_refusal("{\"a\":", 0, "not a JSON object");
  expect_refusal(R"({"a":1})", 0, "a: is not described by a JSON object");
  expect_refusal(R"({"a":{"shape":[1],"data_offsets":[0,4]}})", 4, "a: has no dtype");
  expect_refusal(R"({"a":{"dtype":"F31","shape":[1],"data_offsets":[0,4]}})", 4, "a: has the unknown dtype F31");
  expect_refusal(R"({"a":{"dtype":"F32","shape":1,"data_offsets":[0,4]}})", 4, "a: shape is no list");
  expect_refusal(R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})", 4, "a: shape holds -1");
  expect_refusal(R"({"a":{"dtype":"F32","shape":[1.5],"data_offsets":[0,4]}})", 4, "a: shape holds 1.5");
  expect_refusal(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}})", 4,
                 "a: data_offsets are not [begin, end]");
  expect_refusal(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,18446744073709551615]}})", 4,
                 "a: data_offsets holds 18446744073709551615");
  expect_refusal(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", 4, "take 8 bytes, its data_offsets 4");
  // 2³² · 2³² elements overflow 64 bits.
  expect_refusal(R"({"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}})", 0,
                 "take too many bytes");
  expect_refusal(R"({"__metadata__":{"x":1}})", 0, "\"x\" is not a text");
}

TEST(Safetensors, RefusesDataThatIsNotTheTensors) {
  const std::string a = R"("a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]})";
  expect_refusal("{" + a + "}", 3, "a: ends at byte 4 of the data, of which there are 3");
  expect_refusal("{" + a + "}", 5, "holds 1 bytes that belong to no tensor");
  expect_refusal("{" + a + "," + a + "}", 4, "a: is there twice");
  expect_refusal("{" + a + R"(,"b":{"dtype":"U8","shape":[4],"data_offsets":[3,7]}})", 7, "b: overlaps a");
  expect_refusal("{" + a + R"(,"b":{"dtype":"U8","shape":[2],"data_offsets":[6,8]}})", 8,
                 "b: leaves 2 bytes before it unused");
}

TEST(Safetensors, MissingFilesAndFolders) {
  const test::TemporaryFolder folder;
  EXPECT_NE(test::refusal([&] { const SafetensorsReader reader{folder.path() / "none"}; }).find("No such file"),
            std::string::npos);
  EXPECT_NE(test::refusal([&] { const SafetensorsReader reader{folder.path()}; }).find("is not a file"),
            std::string::npos);
}

TEST(Safetensors, ReadsWhatItWrites) {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "out.safetensors";
  SafetensorsHeader header;
  header.tensors = {{"x", "F32", {3}, 0, 0}, {"y", "F16", {2, 2}, 0, 0}};
  header.metadata["k"] = "v";
  std::vector<float> x = {1.0F, 2.0F, 3.0F};
  std::vector<float> y = {1.0F, 2.0F, 3.0F, 4.0F};
  {
    SafetensorsWriter writer{path, header};
    write_segments(writer.file(), DType::fp32, {{header.tensors[0].begin, 3, 0, 1}}, {x.data(), DType::fp32});
    // Transposed, and in another format.
    const std::int64_t begin = header.tensors[1].begin;
    write_segments(writer.file(), DType::fp16, {{begin + 4, 2, 1, 2}, {begin, 2, 0, 2}}, {y.data(), DType::fp32});
    writer.finish();
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  publish(path);
  const SafetensorsReader reader{path};
  EXPECT_EQ(reader.header().metadata.at("k"), "v");
  EXPECT_EQ(reader.find("x")->begin % 8, 0);
  std::vector<float> back(3);
  read_segments(reader.file(), DType::fp32, {{reader.find("x")->begin, 3, 0, 1}}, {back.data(), DType::fp32});
  EXPECT_EQ(back, x);
  std::vector<float> flipped(4);
  read_segments(reader.file(), DType::fp16, {{reader.find("y")->begin, 4, 0, 1}}, {flipped.data(), DType::fp32});
  EXPECT_EQ(flipped, (std::vector<float>{1.0F, 3.0F, 2.0F, 4.0F}));
}

}  // namespace
}  // namespace shardsim::kernels
