package voice

import "vaak/lang"

// assistants are names that a listener of any language takes for a product.
const assistants = `
	Alexa Siri Cortana Bixby Celia Alisa Jarvis Alloy Ash Ballad Cedar Coral Echo Fable Marin Nova Onyx Sage Shimmer
	Verse Aria Zira Gemini Claude`

// products are the given names that the ready-made voices of Microsoft, Amazon,
// Apple, IBM, ElevenLabs and Sarvam bear in a language. They are people's names
// too; one that is not taken is better.
var products = map[lang.Code]string{
	"en": `Jenny Guy Ava Andrew Emma Brian Amber Ana Ashley Brandon Christopher Cora Davis Elizabeth Eric Jacob Jane
		Jason Michelle Monica Nancy Roger Sara Steffan Tony Luna Phoebe Samuel Adam Derek Dustin Evelyn Lewis Lola Ryan
		Serena Amanda Sonia Libby Abbi Alfie Bella Elliot Ethan Hollie Maisie Noah Oliver Olivia Thomas Ada Ollie
		Natasha William Annette Carly Darren Duncan Elsie Freya Joanne Ken Kim Neil Tim Tina Clara Liam Emily Connor
		Neerja Prabhat Molly Mitchell Leah Luke Joanna Matthew Salli Kendra Kimberly Ivy Joey Justin Kevin Ruth Stephen
		Danielle Gregory Patrick Amy Arthur Nicole Russell Aditi Raveena Kajal Ayanda Geraint Samantha Alex Daniel Moira
		Tessa Veena Rishi Karen Fiona Henry Allison Lisa Michael Kate Charlotte James David Mark Hazel George Susan
		Rachel Domi Antoni Elli Josh Arnold Sam Sarah Laura Charlie Callum River Alice Matilda Will Jessica Chris Lily
		Bill Drew Clyde Paul Dave Fin Dorothy Harry Gigi Grace Glinda Giovanni Mimi Joseph Jeremy`,
	"hi": `Swara Madhur Aarav Ananya Kavya Kunal Rehaan Aarti Arjun Aditi Kajal Lekha Hemant Kalpana Meera Arvind Amol
		Anushka Manisha Vidya Arya Abhilash Karun Hitesh Aditya Ritu Priya Neha Rahul Pooja Rohan Simran Amit Ishita
		Shreya Varun Manan Sumit Kabir Anand Tanya Tarun Vijay Shruti Mohit`,
	"bn": "Nabanita Pradeep Tanishaa Bashkar Piya", "ta": "Pallavi Valluvar Saranya Kumar Kani Surya Venba Anbu Vani",
	"te": "Shruti Mohan Geeta", "mr": "Aarohi Manohar Neel", "gu": "Dhwani Niranjan Hitesh", "kn": "Sapna Gagan Soumya",
	"ml": "Sobhana Midhun", "pa": "Ojas Vaani Simran", "or": "Subhasini Sukant", "as": "Yashica Priyom",
	"ur": "Gul Salman Uzma Asad", "ne": "Hemkala Sagar", "si": "Thilini Sameera",
	"ar": `Fatima Hamdan Laila Ali Amina Ismael Salma Shakir Rana Bassel Sana Taim Noura Fahed Layla Rami Iman Omar Mouna
		Jamal Aysha Abdullah Amal Moaz Zariyah Hamed Amany Laith Reem Hedi Maryam Saleh Zeina Hala Zayd Maged Tarik Hoda
		Naayf`,
	"fa": "Dilara Farid", "tr": "Emel Ahmet Filiz Yelda Tolga", "az": "Banu Babek", "kk": "Aigul Daulet", "uz": "Madina Sardor",
	"he": "Hila Avri Carmit Asaf", "am": "Mekdes Ameha", "ka": "Eka Giorgi", "hy": "Anahit Hayk",
	"el": "Athina Nestoras Melina Stefanos", "ru": "Svetlana Dmitry Dmitri Dariya Tatyana Maxim Milena Yuri Irina Pavel",
	"uk": "Polina Ostap Lesya", "bg": "Kalina Borislav Daria Ivan", "mk": "Marija Aleksandar", "sr": "Sophie Nicholas",
	"hr": "Gabrijela Srecko Lana Matej", "sl": "Petra Rok Tina Lado", "sk": "Viktoria Lukas Laura Filip",
	"cs": "Vlasta Antonin Jitka Zuzana Iveta Jakub", "pl": "Agnieszka Marek Zofia Ola Ewa Maja Jacek Jan Zosia Adam Paulina",
	"hu": "Noemi Tamas Mariska Szabolcs", "ro": "Alina Emil Carmen Ioana Andrei", "sq": "Anila Ilir", "lt": "Ona Leonas",
	"lv": "Everita Nils", "et": "Anu Kert", "fi": "Selma Harri Noora Suvi Satu Heidi",
	"sv": "Sofie Mattias Hillevi Astrid Elin Alva Klara Oskar Bengt", "nb": "Pernille Finn Iselin Liv Ida Nora Henrik Jon",
	"da": "Christel Jeppe Naja Mads Sofie Sara Magnus Helle", "is": "Gudrun Gunnar Dora Karl",
	"nl": "Fenna Maarten Colette Dena Arnaud Lotte Ruben Laura Lisa Ellen Xander Claire Frank Bart",
	"de": `Ingrid Jonas Leni Jan Katja Conrad Amala Bernd Christoph Elke Gisela Kasper Killian Klarissa Klaus Louisa Maja
		Ralf Tanja Seraphina Florian Marlene Hans Vicki Daniel Hannah Sabrina Anna Petra Markus Hedda Stefan Karsten Michael
		Dieter Birgit Erika`,
	"af": "Adri Willem Tessa",
	"fr": `Charline Gerard Sylvie Jean Antoine Thierry Ariane Fabrice Denise Henri Alain Brigitte Celeste Claude Coralie Eloise
		Jacqueline Jerome Josephine Maurice Yves Yvette Vivienne Remy Lucien Celine Mathieu Lea Remi Chantal Gabrielle Liam
		Isabelle Amélie Thomas Audrey Aurélie Nicolas Hortense Julie Paul Caroline Guillaume Renee`,
	"it": `Elsa Isabella Diego Benigno Calimero Cataldo Fabiola Fiamma Gianni Giuseppe Imelda Irma Lisandro Palmira Pierina
		Rinaldo Alessio Marcello Carla Bianca Giorgio Adriano Alice Luca Federica Cosimo Francesca`,
	"es": `Elena Tomas Sofia Marcelo Catalina Lorenzo Salome Gonzalo Maria Juan Belkys Manuel Ramona Emilio Andrea Luis Elvira
		Álvaro Abril Arnau Dario Elias Estrella Irene Laia Lia Nil Saul Teo Triana Vera Ximena Tristan Isidora Teresa Javier
		Marta Andres Karla Carlos Dalia Jorge Beatriz Candela Carlota Cecilio Gerardo Larissa Liberto Luciano Marina Nuria
		Pelayo Renata Yago Yolanda Federico Margarita Roberto Camila Alex Karina Victor Tania Mario Lorena Rodrigo Paloma
		Alonso Valentina Mateo Paola Sebastian Conchita Lucía Enrique Sergio Mia Miguel Penelope Lupe Pedro Mónica Paulina
		Diego Helena Pablo Laura Sabina Raul`,
	"pt": `Francisca Antonio Brenda Donato Elza Fabio Giovanna Humberto Julio Leila Leticia Manuela Nicolau Thalita Valerio
		Yara Macerio Raquel Duarte Fernanda Vitoria Camila Thiago Ricardo Ines Cristiano Luciana Felipe Joana Catarina Helia
		Maria Daniel Isabela`,
	"ca": "Joana Enric Alba Arlet Montse Jordi Pau Herena", "eu": "Ainhoa Ander Miren", "cy": "Nia Aled Gwyneth",
	"ga": "Orla Colm", "mt": "Grace Joseph", "id": "Gadis Ardi Damayanti Andika", "ms": "Yasmin Osman Amira Rizwan",
	"vi": "Linh An", "ko": "Seoyeon Jihye Yuna Heami Sun-hi In-joon Bong-jin Gook-min Hyun-su Ji-min Seo-hyeon Soon-bok Yu-jin",
	"ja": `Nanami Keita Aoi Daichi Mayu Naoki Shiori Masaru Mizuki Takumi Kazuha Tomoko Kyoko Otoya Haruka Ayumi Ichiro
		Sayaka Emi`,
	"zh":  "Xiaoxiao Yunxi Zhiyu Huihui Yaoyao Kangkang Tingting Meijia Hanhan Yating Zhiwei",
	"yue": "Hiu-maan Hiu-gaai Wan-lung Hiujin Sin-ji Tracy Danny", "sw": "Zuri Rafiki Rehema Daudi",
}
